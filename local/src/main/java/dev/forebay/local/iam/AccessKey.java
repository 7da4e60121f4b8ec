// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local.iam;

/**
 * A pair of AWS keys, with the session token of a role if it belongs to one. Immutable; prints neither secret.
 *
 * @param id the access key id, which every token shows
 * @param secret the secret access key, which signs
 * @param sessionToken the session token, empty for the key of a user
 */
public record AccessKey(String id, String secret, String sessionToken) {

    public AccessKey {
        if (!id.matches("[A-Za-z0-9]{1,128}")) {
            throw new IllegalArgumentException("an access key id is made of letters and digits: " + id);
        }
        if (secret.isEmpty()) {
            throw new IllegalArgumentException("access key " + id + " has no secret");
        }
    }

    /** The key of a user, which has no session token. */
    public static AccessKey of(String id, String secret) {
        return new AccessKey(id, secret, "");
    }

    @Override
    public String toString() {
        return "AccessKey[" + id + "]";
    }
}
