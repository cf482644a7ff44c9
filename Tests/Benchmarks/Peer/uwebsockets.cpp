// What the benchmarks compare Storecast with (`--peer PATH`): bare uWebSockets, without TLS and
// compression. Not a part of the package; Docs/Benchmarks.md says how to build it.
//
//     uwebsockets echo         sends each message back
//     uwebsockets broadcast    sends each message to all other connections
//
// Prints its port, and serves until its standard input ends.

#include <App.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

struct Client {
    size_t place;
};

using Socket = uWS::WebSocket<false, true, Client>;

int main(int count, char **words) {
    const bool broadcasts = count > 1 && std::string_view(words[1]) == "broadcast";
    // One send for each, in the order in which they came: as Storecast does it, and less work than
    // the library's topics.
    std::vector<Socket *> sockets;

    std::thread([] {
        char byte;
        while (read(0, &byte, 1) > 0) {}
        std::_Exit(0);
    }).detach();

    uWS::App app;
    app.ws<Client>("/*", {
        .compression = uWS::DISABLED,
        .maxPayloadLength = 1 << 20,
        .idleTimeout = 0,
        .maxBackpressure = 1 << 20,
        .sendPingsAutomatically = false,
        .open = [&](Socket *socket) {
            socket->getUserData()->place = sockets.size();
            sockets.push_back(socket);
        },
        .message = [&](Socket *socket, std::string_view message, uWS::OpCode code) {
            if (!broadcasts) {
                socket->send(message, code);
                return;
            }
            for (Socket *other : sockets) {
                if (other != socket) other->send(message, code);
            }
        },
        .close = [&](Socket *socket, int, std::string_view) {
            size_t place = socket->getUserData()->place;
            sockets[place] = sockets.back();
            sockets[place]->getUserData()->place = place;
            sockets.pop_back();
        },
    });
    app.listen("127.0.0.1", 0, [](us_listen_socket_t *listener) {
        if (!listener) std::_Exit(1);
        std::printf("%d\n", us_socket_local_port(0, (us_socket_t *) listener));
        std::fflush(stdout);
    });
    app.run();
}
