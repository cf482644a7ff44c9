/// An action that a room takes from the server's own code only: clients' are rejected.
package protocol ServerAction: SyncAction {}
