/*
 * One room of a cluster: who may write its log, what a client sees that goes from node to node, and
 * what an edge may tell. Tests/Models/run has spin go through every order of events, and checks that
 * without any one of the rules (WITHOUT_…) some order breaks a promise.
 *
 * The log is a JetStream subject. What surrounds it is as bad as it can be: a node may be paused at
 * any step and go on as if nothing had been; anybody may be given the lease at any time, as clocks
 * drift; requests arrive late, after their sender has given up, and answers not at all; a reader may
 * see any earlier end of the log; and the log may lose its tail (LOSSES).
 *
 * A position of a history is a term and a sequence: a term begins with the marker of whoever took
 * the room over. The promises are the assertions.
 */
#ifndef ACTIONS
#define ACTIONS 2
#endif
#ifndef SIZE
#define SIZE 5
#endif
#ifndef TERMS
#define TERMS 3
#endif
#ifndef LOSSES
#define LOSSES 0
#endif
#ifndef HOPS
#define HOPS 2
#endif
#define EDGE 2
#define SERVERS 3
#define NOBODY 9

/* ---- The log ---- */

typedef Entry {
    byte term;
    byte seq                    /* the client's action; 0: a marker */
};
Entry log[SIZE + 1];
byte head;
byte inForce;                   /* the term of the last marker */
byte losses = LOSSES;
bool lost;

/* The last term that the lease gave; each is given once. */
byte terms;

#define FREE 0
#define UNDERWAY 1
#define TAKEN 2
#define REFUSED 3

typedef Request {
    byte state;
    bool isForgotten;           /* its sender waits no longer */
    byte expected;
    byte term;
    byte seq
};
Request request[4];             /* two for each owner */

inline forget(r) {
    request[r].state = FREE; request[r].expected = 0; request[r].term = 0; request[r].seq = 0
}

/* ---- What servers hold ---- */

typedef Server {
    bool serves;
    byte own;                   /* the term that it was given */
    byte known;                 /* the last entry that it has */
    byte term;                  /* what is in force there */
    byte last;                  /* the client's last action that is reduced */
    byte reduced;               /* how many were */
    byte id[SIZE + 1];          /* what its entries are */
    byte termAt[SIZE + 1];
    byte lastAt[SIZE + 1]
};
Server server[SERVERS];

/* What an entry is. Who offers it again offers the same. */
#define idOf(writer, place, entrySeq) (32 * writer + 4 * place + entrySeq)

/* Whether what its writer takes for its term is. */
#ifndef WITHOUT_MARKER
#define isInForce(t, inForce) (t == inForce)
#else
#define isInForce(t, inForce) (t >= inForce)
#endif

/* Brings `s` to one entry more. An entry of a term that isn't in force is void: only after a loss. */
inline reduce(s, entryTerm, entrySeq) {
    if
    :: entrySeq == 0 && entryTerm > server[s].term -> server[s].term = entryTerm
    :: entrySeq > 0 && isInForce(entryTerm, server[s].term) ->
#ifdef WITHOUT_MARKER
        server[s].term = entryTerm;
#endif
#ifndef WITHOUT_LEDGER
        if
        :: entrySeq == server[s].last + 1 -> server[s].last = entrySeq; server[s].reduced++
        :: entrySeq <= server[s].last -> skip
        :: else -> assert(false)
        fi
#else
        server[s].last = entrySeq; server[s].reduced++
#endif
    :: else -> assert(lost)
    fi;
    server[s].id[server[s].known + 1] = idOf(entryTerm, (server[s].known + 1), entrySeq);
    server[s].termAt[server[s].known + 1] = server[s].term;
    server[s].lastAt[server[s].known + 1] = server[s].last;
    server[s].known++;
    /* Each action once, in the order in which they were made. */
    assert(server[s].reduced == server[s].last)
}

inline begin_anew(s) {
    server[s].known = 0; server[s].term = 0; server[s].last = 0; server[s].reduced = 0;
    i = 1;
    do
    :: i <= SIZE -> server[s].id[i] = 0; server[s].termAt[i] = 0; server[s].lastAt[i] = 0; i++
    :: else -> break
    od
}

/* Reads on, up to any place that the log has. */
inline read(s) {
    do
    :: server[s].known < head ->
        reduce(s, log[server[s].known + 1].term, log[server[s].known + 1].seq)
    :: break
    od
}

/* ---- The client ---- */

byte at = NOBODY;               /* the server that it is connected to */
byte connection;
byte sent;
byte acked;
byte seen;
byte seenTerm;
byte seenID;

chan mail0 = [2] of { byte, byte };     /* connection, seq */
chan mail1 = [2] of { byte, byte };
chan edgeAcks = [2] of { byte, byte, byte, byte };  /* connection, seq, term, sequence */

/* Whether what the client has seen is in the history that `s` has. */
#ifndef WITHOUT_TERMS
#define continues(s, t, n) (server[s].known >= n && server[s].termAt[n] == t)
#else
#define continues(s, t, n) (server[s].known >= n)
#endif
#define has(s, t, n) (server[s].term > t || (server[s].term == t && server[s].known >= n))
/* Whether `s` has at least what was seen, or what came in its place. */
#ifndef WITHOUT_WAITING
#define mayAnswer(s, t, n) has(s, t, n)
#else
#define mayAnswer(s, t, n) true
#endif
#ifndef WITHOUT_ACKS_BEHIND
#define isBehind(s, t, n) has(s, t, n)
#else
#define isBehind(s, t, n) true
#endif

/* The client is shown what `s` has. */
inline present(s) {
    if
    :: continues(s, seenTerm, seen) ->
        /* What it has seen is what was. */
        assert(server[s].known >= seen && server[s].id[seen] == seenID)
    :: else ->
        /* It is told that what it has seen is lost: only when it is. */
        assert(lost)
    fi;
    /* What was acked is there. */
    assert(lost || server[s].last >= acked);
    seen = server[s].known; seenTerm = server[s].term; seenID = server[s].id[seen]
}

/* An outcome, to a client that is still there. */
inline ack(s, toConnection, seq) {
    /* Whoever took over knows it. */
    assert(lost || !server[1 - s].serves || server[1 - s].own < server[s].own || server[1 - s].last >= seq);
    if
    :: toConnection == connection && at == s ->
        present(s);
        if
        :: seq > acked -> acked = seq
        :: else -> skip
        fi
    :: toConnection == connection && at == EDGE ->
        if
        :: nfull(edgeAcks) -> edgeAcks!toConnection, seq, server[s].term, server[s].known
        :: full(edgeAcks) -> skip
        fi
    :: toConnection != connection || (at != s && at != EDGE) -> skip
    fi
}

/* ---- Processes ---- */

active proctype Log() {
    byte r;
    do
    :: atomic {
        if
        :: head < SIZE && request[0].state == UNDERWAY -> r = 0
        :: head < SIZE && request[1].state == UNDERWAY -> r = 1
        :: head < SIZE && request[2].state == UNDERWAY -> r = 2
        :: head < SIZE && request[3].state == UNDERWAY -> r = 3
        fi;
        if
#ifndef WITHOUT_EXPECTED
        :: request[r].expected != head -> request[r].state = REFUSED
        :: request[r].expected == head ->
#else
        :: true ->
#endif
            head++; log[head].term = request[r].term; log[head].seq = request[r].seq;
            /* Nobody writes in another's term. */
            assert(lost || isInForce(request[r].term, inForce) || (request[r].seq == 0 && request[r].term > inForce));
            if
            :: request[r].term > inForce -> inForce = request[r].term
            :: else -> skip
            fi;
            request[r].state = TAKEN
        fi;
        if
        :: request[r].isForgotten ->
            forget(r); request[r].isForgotten = false
        :: else -> skip
        fi;
        r = 0 }
#if LOSSES > 0
    :: atomic { losses > 0 && head > 0 -> losses--; lost = true; head--;
        inForce = 0; r = 1;
        do
        :: r <= head -> if :: log[r].seq == 0 && log[r].term > inForce -> inForce = log[r].term :: else -> skip fi; r++
        :: else -> break
        od;
        log[head + 1].term = 0; log[head + 1].seq = 0; r = 0 }
#endif
    od
}

inline offer(entrySeq) {
    atomic {
        if
        :: request[2 * me].state == FREE -> mine = 2 * me
        :: request[2 * me].state != FREE && request[2 * me + 1].state == FREE -> mine = 2 * me + 1
        fi;
        request[mine].expected = server[me].known; request[mine].term = server[me].own;
        request[mine].seq = entrySeq; request[mine].state = UNDERWAY
    }
}

/* Waits for what becomes of a request: outcome is TAKEN, REFUSED, or UNDERWAY, which is unknown. */
inline await() {
    if
    :: atomic { request[mine].state == TAKEN -> outcome = TAKEN; forget(mine) }
    :: atomic { request[mine].state == REFUSED -> outcome = REFUSED; forget(mine) }
    :: atomic { outcome = UNDERWAY;
        if
        :: request[mine].state == UNDERWAY -> request[mine].isForgotten = true
        :: else -> forget(mine)
        fi }
    fi
}

#define next log[server[me].known + 1]
/* Whether the entry behind what is known is one that was offered before. */
#define isMine(entrySeq) (server[me].known < head && next.term == server[me].own && next.seq == entrySeq)

proctype Owner(byte me) {
    byte mine, outcome, from, seq, i;
end:
    do
    /* It is given the lease, begins anew, and reads. */
    :: atomic { !server[me].serves && terms < TERMS ->
        terms++; server[me].own = terms; begin_anew(me); i = 0; read(me) };
#ifndef WITHOUT_MARKER
        offer(0);
        await();
        atomic {
        if
        :: outcome == TAKEN -> reduce(me, server[me].own, 0); server[me].serves = true
#ifndef WITHOUT_READING_BACK
        :: outcome == UNDERWAY && isMine(0) -> reduce(me, server[me].own, 0); server[me].serves = true
        :: outcome == REFUSED || (outcome == UNDERWAY && !isMine(0)) -> skip
#else
        :: outcome == UNDERWAY -> reduce(me, server[me].own, 0); server[me].serves = true
        :: outcome == REFUSED -> skip
#endif
        fi;
        outcome = 0 }
#else
        atomic { server[me].serves = true }
#endif
    /* It is told that another has the lease, or ends. */
    :: atomic { server[me].serves -> server[me].serves = false }
    /* A dispatch. */
    :: atomic { server[me].serves ->
        if
        :: me == 0 && nempty(mail0) -> mail0?from, seq
        :: me == 1 && nempty(mail1) -> mail1?from, seq
        fi };
again:
        if
#ifndef WITHOUT_LEDGER
        :: atomic { seq <= server[me].last -> ack(me, from, seq) }
        :: seq == server[me].last + 1 ->
#else
        :: seq <= server[me].last + 1 ->
#endif
            offer(seq);
            await();
            if
            :: atomic { outcome == TAKEN -> reduce(me, server[me].own, seq); ack(me, from, seq) }
            :: atomic { outcome != TAKEN && isMine(seq) ->
                reduce(me, server[me].own, seq); ack(me, from, seq) }
            /* Nobody knows: once more, which is refused if it is there. */
            :: outcome == UNDERWAY && !isMine(seq) -> goto again
            :: atomic { outcome != TAKEN && !isMine(seq) -> server[me].serves = false }
            fi
        :: seq > server[me].last + 1 -> skip
        fi;
        atomic { from = 0; seq = 0; outcome = 0 }
    od
}

/* A node that has the room from its owner, as the owner's client. */
active proctype Edge() {
    byte o, i, from, seq, term, sequence;
    atomic { server[EDGE].serves = true };
end:
    do
    :: atomic {
        if
        :: server[0].serves -> o = 0
        :: server[1].serves -> o = 1
        fi;
        if
        :: mayAnswer(o, server[EDGE].term, server[EDGE].known) &&
            continues(o, server[EDGE].term, server[EDGE].known) &&
            server[o].known > server[EDGE].known ->
            server[EDGE].id[server[EDGE].known + 1] = server[o].id[server[EDGE].known + 1];
            server[EDGE].termAt[server[EDGE].known + 1] = server[o].termAt[server[EDGE].known + 1];
            server[EDGE].known++;
            server[EDGE].term = server[EDGE].termAt[server[EDGE].known];
            server[EDGE].lastAt[server[EDGE].known] = server[o].lastAt[server[EDGE].known];
            server[EDGE].last = server[EDGE].lastAt[server[EDGE].known]
        :: mayAnswer(o, server[EDGE].term, server[EDGE].known) &&
            !continues(o, server[EDGE].term, server[EDGE].known) ->
            assert(lost);
            i = 1;
            do
            :: i <= SIZE -> server[EDGE].id[i] = server[o].id[i]; server[EDGE].termAt[i] = server[o].termAt[i];
                server[EDGE].lastAt[i] = server[o].lastAt[i]; i++
            :: else -> break
            od;
            server[EDGE].known = server[o].known; server[EDGE].term = server[o].term;
            server[EDGE].last = server[o].last; i = 0
        fi;
        o = 0 }
    /* An outcome, behind what it did. */
    :: atomic { nempty(edgeAcks) -> edgeAcks?<from, seq, term, sequence>;
        if
        :: from != connection || at != EDGE -> edgeAcks?from, seq, term, sequence
        :: from == connection && at == EDGE && isBehind(EDGE, term, sequence) ->
            edgeAcks?from, seq, term, sequence;
            assert(lost || server[EDGE].last >= seq);
            present(EDGE);
            if
            :: seq > acked -> acked = seq
            :: else -> skip
            fi
        :: else -> skip
        fi;
        from = 0; seq = 0; term = 0; sequence = 0 }
    od
}

active proctype Client() {
    byte to;
end:
    do
    :: atomic { at != NOBODY && sent < ACTIONS ->
        if
        :: at == 0 && nfull(mail0) -> sent++; mail0!connection, sent
        :: at == 1 && nfull(mail1) -> sent++; mail1!connection, sent
        :: at == EDGE && server[0].serves && nfull(mail0) -> sent++; mail0!connection, sent
        :: at == EDGE && server[1].serves && nfull(mail1) -> sent++; mail1!connection, sent
        fi }
    :: atomic { at != NOBODY && server[at].serves && mayAnswer(at, seenTerm, seen) &&
        (server[at].known != seen || server[at].term != seenTerm) -> present(at) }
    /* To any server, which may be the same; what isn't acked is sent again. */
    :: atomic { connection < HOPS ->
        if
        :: to = 0
        :: to = 1
        :: to = EDGE
        fi;
        if
        :: server[to].serves && mayAnswer(to, seenTerm, seen) ->
            at = to; connection++; sent = acked; present(to)
        :: else -> skip
        fi;
        to = 0 }
    od
}

init {
    atomic { run Owner(0); run Owner(1) }
}
