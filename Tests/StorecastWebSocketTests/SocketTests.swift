import Testing

/// Tests with real sockets. One after another: many block a thread, and some have time limits that
/// a crowd of them would miss.
@Suite(.serialized) enum SocketTests {}
