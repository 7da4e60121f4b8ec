// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A question as H2 is asked it. Immutable.
 *
 * <h2>Why it is rewritten</h2>
 *
 * <p>H2 has functions that read files, load classes and stop the database. What a question may call is therefore a list, and
 * the check would be worth nothing if H2 read the text in another way than the check does: H2 knows quotes and comments that
 * {@link SqlToken} does not. So H2 never sees the text. It gets one that is put together from the tokens that were checked,
 * in which each is written in the one way that both understand. Along the way PostgreSQL's ways of saying things that H2
 * does not know are put into H2's. The text is then read once more as H2 would, and refused if its quoted parts are not those
 * that were meant: two signs that were apart may make a comment together.
 *
 * @param sql for H2
 * @param places the start of each token in {@code sql}, and its position in the question, from 1
 */
record ViewSql(String sql, List<Place> places, List<SqlToken> tokens) {

    /** The places of a token. */
    record Place(int written, int position) {}

    /** The schema that stands for pg_catalog, which H2 has already and fills with its own. */
    static final String CATALOGUE = "pg";

    /** The prefix of our functions' names, since H2 takes no second one with a name of its own. */
    static final String OURS = "of_";

    private static final Set<String> BEGINNINGS = Set.of("select", "with", "values", "table", "explain");

    /** Words that may stand before a bracket and are no function. */
    static final Set<String> GRAMMAR =
            words("all and any array as between by case distinct else end except exists filter from group having "
                    + "ilike in intersect is join lateral like limit not offset on or over row select some then union "
                    + "using values when where explain analyze");

    static final Set<String> TYPES =
            words("bit char character decimal float interval numeric time timestamp varchar varying");

    /** H2's own functions that read nothing but their arguments, and make nothing much larger than these. */
    static final Set<String> FUNCTIONS =
            words("abs any_value array_agg array_to_string avg bool_and bool_or btrim cast ceil ceiling "
                    + "char_length character_length coalesce concat concat_ws count date_trunc dense_rank every exp "
                    + "extract first_value floor greatest lag last_value lead least left length listagg ln log lower "
                    + "ltrim max median min mod ntile now nullif octet_length percentile_cont percentile_disc position "
                    + "power rank right round row_number rtrim sign sqrt stddev_pop stddev_samp string_agg substr "
                    + "substring sum to_char trim trunc unnest upper var_pop var_samp current_date current_timestamp "
                    + "localtimestamp");

    /** Words that no question needs. The user's lack of rights would be enough. */
    private static final Set<String> CHANGES = words(
            "alter backup call create delete drop execute grant insert into merge revoke runscript script shutdown truncate"
                    + " update");

    /** Words that H2 would answer with its own values. */
    private static final Set<String> WHO =
            words("current_user session_user current_role user current_catalog current_schema system_user");

    private static final Map<String, String> CASTS = Map.ofEntries(
            Map.entry("bool", "boolean"),
            Map.entry("boolean", "boolean"),
            Map.entry("int", "integer"),
            Map.entry("integer", "integer"),
            Map.entry("int2", "integer"),
            Map.entry("smallint", "integer"),
            Map.entry("int4", "integer"),
            Map.entry("int8", "bigint"),
            Map.entry("bigint", "bigint"),
            Map.entry("oid", "bigint"),
            Map.entry("xid", "bigint"),
            Map.entry("float4", "double precision"),
            Map.entry("real", "double precision"),
            Map.entry("float8", "double precision"),
            Map.entry("double", "double"),
            Map.entry("numeric", "numeric"),
            Map.entry("decimal", "numeric"),
            Map.entry("date", "date"),
            Map.entry("timestamp", "timestamp"),
            Map.entry("timestamptz", "timestamp with time zone"),
            Map.entry("text", "varchar"),
            Map.entry("varchar", "varchar"),
            Map.entry("bpchar", "varchar"),
            Map.entry("char", "varchar"),
            Map.entry("character", "character"),
            Map.entry("name", "varchar"),
            Map.entry("cstring", "varchar"),
            Map.entry("unknown", "varchar"),
            Map.entry("regclass", "varchar"),
            Map.entry("regtype", "varchar"),
            Map.entry("regproc", "varchar"),
            Map.entry("regnamespace", "varchar"),
            Map.entry("regrole", "varchar"));

    private static final String SIGNS = "(),.+-*/%<>=!|:[]";

    /** Returns H2's name of a function of ours. */
    static String function(String name) {
        return CATALOGUE + "." + OURS + name;
    }

    private static Set<String> words(String text) {
        return Set.of(text.split(" "));
    }

    static ViewSql of(String question) throws AdminException {
        try {
            List<SqlToken> tokens = PatternSql.called(SqlToken.of(question));
            return new Writer(tokens).write();
        } catch (AdminSyntaxException e) {
            throw AdminException.of(e);
        }
    }

    /** Returns the position in the question of a character of {@code sql}. */
    int position(int written) {
        int position = 0;
        for (Place place : places) {
            if (place.written <= written) {
                position = place.position;
            }
        }
        return position;
    }

    /** Returns the first position of a name; 0 if there is none. */
    int position(String name) {
        for (SqlToken token : tokens) {
            if (token.isName() && token.name().equalsIgnoreCase(name)) {
                return token.position();
            }
        }
        return 0;
    }

    private static final class Writer {
        private final List<SqlToken> tokens;
        private final StringBuilder out = new StringBuilder();
        private final List<Place> places = new ArrayList<>();

        /** The quoted parts that were written, each with its quote in front. */
        private final List<String> quoted = new ArrayList<>();

        private int at;

        Writer(List<SqlToken> tokens) {
            this.tokens = tokens;
        }

        ViewSql write() throws AdminException {
            SqlToken first = tokens.get(0);
            if (!first.isSign("(") && !(first.kind() == SqlToken.Kind.WORD && BEGINNINGS.contains(first.name()))) {
                throw new AdminException(
                        "0A000",
                        "\"" + first.text() + "\" is not a statement of this port; try SHOW HELP",
                        first.position());
            }
            while (here().kind() != SqlToken.Kind.END) {
                places.add(new Place(out.length(), here().position()));
                token();
            }
            if (!quoted.equals(H2Reading.quoted(out.toString()))) {
                throw new AdminException("42601", "the statement could be read in two ways", first.position());
            }
            return new ViewSql(out.toString(), List.copyOf(places), tokens);
        }

        private void token() throws AdminException {
            SqlToken token = here();
            switch (token.kind()) {
                case STRING -> string(token.text());
                case NUMBER -> {
                    put(token.text());
                    at++;
                }
                case SIGN -> sign(token);
                default -> name(token);
            }
        }

        // ---- signs

        private void sign(SqlToken token) throws AdminException {
            if (token.isSign("$") && peek(1).kind() == SqlToken.Kind.NUMBER && adjacent(at + 1)) {
                put("?" + parameter(peek(1)));
                at += 2;
                return;
            }
            if (token.isSign(":") && peek(1).isSign(":") && adjacent(at + 1)) {
                at += 2;
                cast();
                return;
            }
            if (SIGNS.indexOf(token.text().charAt(0)) < 0) {
                throw new AdminException("42601", "\"" + token.text() + "\" is not known here", token.position());
            }
            if (token.isSign(".") && at > 0 && peek(-1).isSign(")") && peek(1).isName()) {
                at += 2; // a part of a key, of which there are none
                return;
            }
            if (token.isSign(".") || (adjacent(at) && peek(-1).kind() == SqlToken.Kind.SIGN)) {
                out.append(token.text());
            } else {
                put(token.text());
            }
            at++;
        }

        private static int parameter(SqlToken number) throws AdminException {
            try {
                int parameter = Integer.parseInt(number.text());
                if (parameter > 0 && parameter <= Short.MAX_VALUE) {
                    return parameter;
                }
            } catch (NumberFormatException e) {
                throw new AdminException("42601", "a parameter is $ and a number", number.position(), e);
            }
            throw new AdminException("42P02", "there is no parameter $" + number.text(), number.position());
        }

        /** Writes a cast such as {@code x::pg_catalog.int4[]}. */
        private void cast() throws AdminException {
            if (here().is("pg_catalog") && peek(1).isSign(".")) {
                at += 2;
            }
            SqlToken type = here();
            String known = type.isName() ? CASTS.get(type.name().toLowerCase(Locale.ROOT)) : null;
            if (known == null) {
                throw new AdminException("42704", "type \"" + type.text() + "\" does not exist", type.position());
            }
            at++;
            out.append("::").append(known);
            while (here().isSign("[") && peek(1).isSign("]")) {
                out.append(" array");
                at += 2;
            }
        }

        // ---- words

        private void name(SqlToken token) throws AdminException {
            String name = token.name();
            boolean word = token.kind() == SqlToken.Kind.WORD;
            if (word && name.equals("e") && peek(1).kind() == SqlToken.Kind.STRING && adjacent(at + 1)) {
                at++;
                string(unescaped(here().text()));
            } else if (word && name.equals("operator") && peek(1).isSign("(")) {
                operator();
            } else if (word && CHANGES.contains(name) && !(at > 0 && peek(-1).isSign("."))) {
                throw new AdminException(
                        "0A000", name.toUpperCase(Locale.ROOT) + " is not offered here", token.position());
            } else if (word && name.equals("recursive")) {
                throw new AdminException("0A000", "WITH RECURSIVE is not offered here", token.position());
            } else if (qualifies() && name.equals("pg_catalog")) {
                qualified();
            } else if (qualifies() && name.equals("information_schema") && peek(2).is("_pg_expandarray")) {
                at += 3;
                skipBrackets();
                put("CAST(NULL AS INTEGER)");
            } else if (qualifies() && name.equals("information_schema")) {
                put("info");
                at++;
            } else if (peek(1).isSign("(")) {
                called(token, false);
            } else if (word && WHO.contains(name) && !(at > 0 && peek(-1).isSign("."))) {
                put(function(name) + "()");
                at++;
            } else {
                plain(token);
            }
        }

        private void plain(SqlToken token) {
            String text = token.kind() == SqlToken.Kind.WORD ? token.text() : quoted('"', token.text());
            if (at > 0 && peek(-1).isSign(".")) {
                out.append(text);
            } else {
                put(text);
            }
            at++;
        }

        private boolean qualifies() {
            return peek(1).isSign(".") && !(at > 0 && peek(-1).isSign("."));
        }

        /** Writes the name after pg_catalog: a function, which is H2's or ours, a type or a relation. */
        private void qualified() throws AdminException {
            at += 2;
            SqlToken token = here();
            if (token.is("unnest") && peek(1).isSign("(")) {
                at++;
                skipBrackets();
                put("(SELECT CAST(NULL AS VARCHAR) AS x WHERE FALSE)"); // psql asks so for options, and there are none
            } else if (peek(1).isSign("(")) {
                called(token, true);
            } else {
                put(CATALOGUE + ".");
                out.append(quoted('"', token.name()));
                at++;
            }
        }

        private void called(SqlToken token, boolean inCatalogue) throws AdminException {
            String name = token.name().toLowerCase(Locale.ROOT);
            boolean dotted = at > 0 && peek(-1).isSign(".") && !inCatalogue;
            boolean word = token.kind() == SqlToken.Kind.WORD;
            if (!dotted && SystemFunctions.NAMES.contains(name)) {
                put(function(name));
                at++;
            } else if (!dotted
                    && word
                    && (FUNCTIONS.contains(name) || TYPES.contains(name) || GRAMMAR.contains(name))) {
                plain(token);
            } else if (at > 0 && (peek(-1).is("as") || peek(-1).is("with") || followsRelation())) {
                plain(token); // the columns of an alias
            } else {
                throw new AdminException(
                        "42883", "function " + name + " does not exist, or may not be used here", token.position());
            }
        }

        /** Returns whether the bracket that ends here held rows; after others, as that of DISTINCT ON, comes a call. */
        private boolean followsRelation() {
            if (!peek(-1).isSign(")")) {
                return false;
            }
            int open = at - 1;
            for (int depth = 0; open >= 0; open--) {
                depth += tokens.get(open).isSign(")") ? 1 : tokens.get(open).isSign("(") ? -1 : 0;
                if (depth == 0) {
                    break;
                }
            }
            if (open < 1) {
                return false;
            }
            SqlToken before = tokens.get(open - 1);
            return before.isSign(",")
                    || before.is("from")
                    || before.is("join")
                    || before.is("lateral")
                    || before.is("unnest")
                    || (before.isName() && SystemFunctions.NAMES.contains(before.name()));
        }

        private void skipBrackets() {
            int depth = 0;
            do {
                depth += here().isSign("(") ? 1 : here().isSign(")") ? -1 : 0;
                at++;
            } while (depth > 0 && here().kind() != SqlToken.Kind.END);
        }

        /** Writes {@code OPERATOR(pg_catalog.~)}. */
        private void operator() throws AdminException {
            at += 2;
            if (here().is("pg_catalog") && peek(1).isSign(".")) {
                at += 2;
            }
            put("");
            while (here().kind() == SqlToken.Kind.SIGN && !here().isSign(")")) {
                out.append(here().text());
                if (SIGNS.indexOf(here().text().charAt(0)) < 0) {
                    throw new AdminException("42601", "\"" + here().text() + "\" is not known here", here().position());
                }
                at++;
            }
            if (!here().isSign(")")) {
                throw new AdminException("42601", "an operator has no end", here().position());
            }
            at++;
        }

        // ---- values

        private void string(String text) {
            boolean qualified = peek(3).is("pg_catalog");
            SqlToken type = peek(qualified ? 5 : 3);
            if (peek(1).isSign(":") && (type.is("regclass") || type.is("regproc") || type.is("regtype"))) {
                put(Long.toString(SystemFunctions.oid(text)));
                at += qualified ? 6 : 4;
            } else {
                put(quoted('\'', text));
                at++;
            }
        }

        private String quoted(char quote, String text) {
            quoted.add(quote + text);
            String one = String.valueOf(quote);
            return one + text.replace(one, one + one) + one;
        }

        private static String unescaped(String text) {
            StringBuilder plain = new StringBuilder();
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '\\' && i + 1 < text.length()) {
                    char next = text.charAt(++i);
                    plain.append(
                            switch (next) {
                                case 'n' -> '\n';
                                case 't' -> '\t';
                                case 'r' -> '\r';
                                default -> next;
                            });
                } else {
                    plain.append(c);
                }
            }
            return plain.toString();
        }

        // ---- tokens

        private SqlToken here() {
            return tokens.get(Math.min(at, tokens.size() - 1));
        }

        private SqlToken peek(int ahead) {
            return tokens.get(Math.max(0, Math.min(at + ahead, tokens.size() - 1)));
        }

        private boolean adjacent(int index) {
            return index > 0
                    && index < tokens.size()
                    && tokens.get(index).start() == tokens.get(index - 1).end();
        }

        private void put(String text) {
            if (!out.isEmpty()) {
                out.append(' ');
            }
            out.append(text);
        }
    }
}
