// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import dev.forebay.local.sql.Judgement;
import dev.forebay.local.sql.Profile;
import dev.forebay.local.sql.Script;
import dev.forebay.local.sql.Statement;
import dev.forebay.wire.Conversation.Message;
import dev.forebay.wire.Request;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the extended protocol up to a Sync that may be passed on as a whole, since all they do is read.
 *
 * <p>What they prepare, bind and close is known to the messages behind them at once, and to the session once PostgreSQL has
 * answered: after an error it skips the rest, and what was skipped has not happened.
 */
final class Pipeline {

    private final Profile profile;
    private final Predicate<Statement> mayRun;
    private final Map<String, Prepared> statements;
    private final Map<String, Prepared.Portal> portals;
    private final Map<String, Prepared> newStatements = new HashMap<>(4);
    private final Map<String, Prepared.Portal> newPortals = new HashMap<>(4);

    /** The fate of each message that is answered by ParseComplete, BindComplete or CloseComplete, in their order. */
    private final Deque<Runnable> effects = new ArrayDeque<>(4);

    /**
     * One without messages yet.
     *
     * @param mayRun whether a statement that only reads may run now
     * @param statements those that PostgreSQL has, kept up to date
     * @param portals likewise
     */
    Pipeline(
            Profile profile,
            Predicate<Statement> mayRun,
            Map<String, Prepared> statements,
            Map<String, Prepared.Portal> portals) {
        this.profile = profile;
        this.mayRun = mayRun;
        this.statements = statements;
        this.portals = portals;
    }

    /** Whether {@code message} can be passed on behind those before it. */
    boolean takes(Message message) {
        return switch (message.type()) {
            case 'P' -> parse(Request.parse(message.payload()));
            case 'B' -> bind(Request.bind(message.payload()));
            case 'E' -> {
                Prepared.Portal portal =
                        portal(Request.execute(message.payload()).portal());
                yield portal != null && portal.prepared().isPlain() && mayRun.test(portal.statement());
            }
            case 'D' -> {
                Request.Named named = Request.named(message.payload());
                Prepared prepared = named.portal() ? ofPortal(named.name()) : statement(named.name());
                yield prepared == null || !prepared.statement().isAsync();
            }
            case 'C' -> close(Request.named(message.payload()));
            default -> message.type() == 'H';
        };
    }

    /** PostgreSQL has answered with a message of {@code type}. */
    void answered(byte type) {
        if (type == '1' || type == '2' || type == '3') {
            effects.remove().run();
        }
    }

    private boolean parse(Request.Parse parse) {
        String name = parse.name();
        List<Statement> all = Script.of(parse.sql());
        if (all.size() != 1
                || !Prepared.isPlain(all.get(0))
                || !profile.judge(all.get(0)).equals(Judgement.ACCEPTED)) {
            return false;
        }
        Prepared prepared = new Prepared(name, all.get(0));
        newStatements.put(name, prepared);
        effects.add(() -> statements.put(name, prepared));
        return true;
    }

    private boolean bind(Request.Bind bind) {
        Prepared prepared = statement(bind.statement());
        if (prepared == null || !prepared.isPlain()) {
            return false;
        }
        Prepared.Portal portal = new Prepared.Portal(bind.portal(), prepared, new byte[0]);
        newPortals.put(portal.name(), portal);
        effects.add(() -> portals.put(portal.name(), portal));
        return true;
    }

    private boolean close(Request.Named named) {
        effects.add(() -> (named.portal() ? portals : statements).remove(named.name()));
        return true;
    }

    private @Nullable Prepared statement(String name) {
        Prepared prepared = newStatements.get(name);
        return prepared != null ? prepared : statements.get(name);
    }

    private Prepared.@Nullable Portal portal(String name) {
        Prepared.Portal portal = newPortals.get(name);
        return portal != null ? portal : portals.get(name);
    }

    private @Nullable Prepared ofPortal(String name) {
        Prepared.Portal portal = portal(name);
        return portal == null ? null : portal.prepared();
    }
}
