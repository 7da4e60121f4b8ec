// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import dev.forebay.console.admin.AdminStatement.Option.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Parses the statements of an administrator.
 *
 * <p>Only statements that change something are understood here. Any other is a {@link AdminStatement.Query}, whatever its
 * text: the database behind the views knows SQL better.
 */
final class AdminSql {

    private final List<SqlToken> tokens;
    private int at;

    private AdminSql(List<SqlToken> tokens) {
        this.tokens = tokens;
    }

    /** The statements of {@code sql}. */
    static List<AdminStatement> parse(String sql) throws AdminSyntaxException {
        return parse(SqlText.of(sql).statements());
    }

    static List<AdminStatement> parse(List<SqlText> statements) throws AdminSyntaxException {
        List<AdminStatement> parsed = new ArrayList<>();
        for (SqlText statement : statements) {
            parsed.add(parse(statement));
        }
        return parsed;
    }

    /** One statement. */
    static AdminStatement parse(SqlText statement) throws AdminSyntaxException {
        AdminStatement parsed = new AdminSql(statement.tokens()).statement();
        return parsed == null ? new AdminStatement.Query(statement.text()) : parsed;
    }

    /** The statement; null if it changes nothing. */
    private @Nullable AdminStatement statement() throws AdminSyntaxException {
        SqlToken first = peek();
        if (first.kind() != SqlToken.Kind.WORD) {
            return null;
        }
        SqlToken second = tokens.get(Math.min(at + 1, tokens.size() - 1));
        AdminStatement statement = switch (first.text().toLowerCase(Locale.ROOT)) {
            case "create" -> second.is("server") ? createServer() : second.is("user") ? createMapping() : null;
            case "alter" -> second.is("server") ? alterServer() : second.is("user") ? alterMapping() : null;
            case "drop" -> second.is("server") ? dropServer() : second.is("user") ? dropMapping() : null;
            case "call" -> call();
            case "pause" -> control(AdminStatement.Control.Verb.PAUSE);
            case "resume" -> control(AdminStatement.Control.Verb.RESUME);
            case "reconnect" -> control(AdminStatement.Control.Verb.RECONNECT);
            default -> null;
        };
        if (statement != null && peek().kind() != SqlToken.Kind.END) {
            throw unexpected("the end of the statement");
        }
        return statement;
    }

    // ---- servers

    private AdminStatement createServer() throws AdminSyntaxException {
        at += 2;
        boolean ifNotExists = take("if", "not", "exists");
        String name = name("the name of a server");
        String type = take("type") ? string("a type in quotes") : null;
        String version = take("version") ? string("a version in quotes") : null;
        need("foreign", "data", "wrapper");
        String wrapper = name("the name of a foreign data wrapper");
        List<AdminStatement.Option> options = peek().is("options") ? options(false) : List.of();
        return new AdminStatement.CreateServer(name, ifNotExists, type, version, wrapper, options);
    }

    private AdminStatement alterServer() throws AdminSyntaxException {
        at += 2;
        String name = name("the name of a server");
        if (take("owner", "to")) {
            return new AdminStatement.ChangeOwner(name, name("the name of a user"));
        }
        if (take("rename", "to")) {
            return new AdminStatement.RenameServer(name, name("the new name"));
        }
        String version = take("version") ? string("a version in quotes") : null;
        if (version == null && !peek().is("options")) {
            throw unexpected("VERSION, OPTIONS, OWNER TO or RENAME TO");
        }
        return new AdminStatement.AlterServer(name, version, peek().is("options") ? options(true) : List.of());
    }

    private AdminStatement dropServer() throws AdminSyntaxException {
        at += 2;
        boolean ifExists = take("if", "exists");
        String name = name("the name of a server");
        boolean cascade = take("cascade");
        if (!cascade) {
            take("restrict");
        }
        return new AdminStatement.DropServer(name, ifExists, cascade);
    }

    // ---- mappings

    private AdminStatement createMapping() throws AdminSyntaxException {
        at++;
        need("user", "mapping");
        boolean ifNotExists = take("if", "not", "exists");
        AdminStatement.Who who = who();
        String server = server();
        List<AdminStatement.Option> options = peek().is("options") ? options(false) : List.of();
        return new AdminStatement.CreateMapping(who, server, ifNotExists, options);
    }

    private AdminStatement alterMapping() throws AdminSyntaxException {
        at++;
        need("user", "mapping");
        AdminStatement.Who who = who();
        String server = server();
        return new AdminStatement.AlterMapping(who, server, options(true));
    }

    private AdminStatement dropMapping() throws AdminSyntaxException {
        at++;
        need("user", "mapping");
        boolean ifExists = take("if", "exists");
        AdminStatement.Who who = who();
        return new AdminStatement.DropMapping(who, server(), ifExists);
    }

    private AdminStatement.Who who() throws AdminSyntaxException {
        need("for");
        if (take("public")) {
            return new AdminStatement.Who(null, true);
        }
        if (take("user") || take("current_user")) {
            return new AdminStatement.Who(null, false);
        }
        return new AdminStatement.Who(name("the name of a user, USER or PUBLIC"), false);
    }

    private String server() throws AdminSyntaxException {
        need("server");
        return name("the name of a server");
    }

    // ---- the rest

    private AdminStatement call() throws AdminSyntaxException {
        at++;
        String procedure = name("the name of a procedure");
        while (takeSign(".")) {
            procedure = procedure + "." + name("the name of a procedure");
        }
        needSign("(");
        List<String> arguments = new ArrayList<>();
        if (!takeSign(")")) {
            do {
                SqlToken argument = peek();
                if (argument.kind() != SqlToken.Kind.STRING && argument.kind() != SqlToken.Kind.NUMBER) {
                    throw unexpected("a value in quotes or a number");
                }
                arguments.add(argument.text());
                at++;
            } while (takeSign(","));
            needSign(")");
        }
        return new AdminStatement.Call(procedure, arguments);
    }

    private AdminStatement control(AdminStatement.Control.Verb verb) throws AdminSyntaxException {
        at++;
        boolean all = peek().kind() == SqlToken.Kind.END;
        return new AdminStatement.Control(verb, all ? null : name("the name of a server"));
    }

    /** Reads options in brackets; ADD, SET and DROP are allowed only if {@code altering}. */
    private List<AdminStatement.Option> options(boolean altering) throws AdminSyntaxException {
        need("options");
        needSign("(");
        List<AdminStatement.Option> options = new ArrayList<>();
        do {
            AdminStatement.Option option = option(altering);
            if (options.stream().anyMatch(other -> other.key().equals(option.key()))) {
                throw new AdminSyntaxException("option '" + option.key() + "' is given twice", option.position());
            }
            options.add(option);
        } while (takeSign(","));
        needSign(")");
        return options;
    }

    private AdminStatement.Option option(boolean altering) throws AdminSyntaxException {
        Change change = null;
        SqlToken after = tokens.get(Math.min(at + 1, tokens.size() - 1));
        if (altering && after.isName()) {
            change = changeOf(peek());
            if (change == null) {
                throw unexpected("SET, ADD, DROP or the name of an option");
            }
            at++;
        }
        int position = peek().position();
        String key = name("the name of an option");
        while (takeSign(".")) { // as in driver.sslPassword, which a driver knows in this case only
            SqlToken rest = peek();
            name("the rest of the name of an option");
            key = key + "." + rest.text();
        }
        String value = change == Change.DROP ? null : string("a value in quotes");
        return new AdminStatement.Option(change == null ? Change.ADD : change, key, value, position);
    }

    private static @Nullable Change changeOf(SqlToken token) {
        for (Change change : Change.values()) {
            if (token.is(change.name())) {
                return change;
            }
        }
        return null;
    }

    // ---- tokens

    private SqlToken peek() {
        return tokens.get(at);
    }

    /** Takes all of {@code words}, or nothing. */
    private boolean take(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (at + i >= tokens.size() || !tokens.get(at + i).is(words[i])) {
                return false;
            }
        }
        at += words.length;
        return true;
    }

    private boolean takeSign(String sign) {
        if (peek().isSign(sign)) {
            at++;
            return true;
        }
        return false;
    }

    private void need(String... words) throws AdminSyntaxException {
        for (String word : words) {
            if (!take(word)) {
                throw unexpected(word.toUpperCase(Locale.ROOT));
            }
        }
    }

    private void needSign(String sign) throws AdminSyntaxException {
        if (!takeSign(sign)) {
            throw unexpected("'" + sign + "'");
        }
    }

    private String name(String what) throws AdminSyntaxException {
        if (!peek().isName() || peek().text().isEmpty()) {
            throw unexpected(what);
        }
        return tokens.get(at++).name();
    }

    private String string(String what) throws AdminSyntaxException {
        if (peek().kind() != SqlToken.Kind.STRING) {
            throw unexpected(what);
        }
        return tokens.get(at++).text();
    }

    /** Returns an error that does not repeat values: they may be secret. */
    private AdminSyntaxException unexpected(String wanted) {
        SqlToken found = peek();
        String what = switch (found.kind()) {
            case END -> "the end";
            case STRING -> "a value";
            default -> "\"" + found.text() + "\"";
        };
        return new AdminSyntaxException("found " + what + " where " + wanted + " belongs", found.position());
    }
}
