// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

/** The action that a token permits: to connect as the administrator, or as any other role. */
enum TokenAction {
    DB_CONNECT_ADMIN("DbConnectAdmin"),
    DB_CONNECT("DbConnect");

    static final String ADMIN = "admin";

    private final String text;

    TokenAction(String text) {
        this.text = text;
    }

    /** The action that a token of {@code user} must name. */
    static TokenAction of(String user) {
        return user.equals(ADMIN) ? DB_CONNECT_ADMIN : DB_CONNECT;
    }

    String text() {
        return text;
    }
}
