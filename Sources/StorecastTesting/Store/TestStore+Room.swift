public import StorecastRoom

extension TestStore where State: Codable & Sendable {
    /// A store that does what a room does with what one client dispatches.
    ///
    /// ```swift
    /// let board = TestStore(Board.room)
    /// board.stamp.sender = Identity("ada")
    /// board.dispatch(AddCard(text: "Tea")) { $0.cards = [Card(id: "1", author: "ada")] }
    /// board.expectRejection(of: AddCard(text: ""), .invalid)
    /// ```
    /// It is the room that a server has, with its log in memory: each action is written as JSON
    /// and read back, authorized, stamped with ``stamp``, sent through the middleware that `onOpen`
    /// adds, logged, validated and reduced. Then the log is read once more: a reducer or a check
    /// that isn't deterministic fails the test, and so does what a server would log as a problem.
    ///
    /// With `Identity.server` as the stamp's sender an action is dispatched as by the server's own
    /// code: `authorize` isn't asked, and only so does a room take `RevertTo` by itself.
    ///
    /// Of several actions that middleware makes of one, the second has the id `"1.1"` if the first
    /// has `"1"`, and so on. What it dispatches by itself later, and what a test dispatches on
    /// ``store``, comes from `Identity.server`, with the ids `"server-1"`, `"server-2"`, …, and
    /// takes effect after the call, as on a server: expect it by
    /// ``expectChange(_:fileID:filePath:line:column:)``. A ``TestRoom`` has clients as well, and
    /// time that passes. The room has its rules as it is given to a server, and that server's
    /// limits.
    public convenience init(
        _ room: RoomDefinition<State>, limits: SyncLimits = SyncLimits(),
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        let origin = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        let room = RehearsedRoom(room, limits: limits, origin)
        self.init(room.store, origin, settle: { room.settle() }) { room.dispatch($0, $1, at: $2) }
    }

    /// Dispatches an action and expects that the room rejects it with this code, or with any if
    /// there is none, and stays as it is.
    ///
    /// - Returns: the rejection, to look at its title and detail; nil if there was none, which has
    ///   failed the test.
    @discardableResult
    public func expectRejection(
        of action: any SyncAction, _ code: Rejection.Code? = nil, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> Rejection? {
        let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
        let rejection = attempt(action, at: site)
        if let rejection, let code, rejection.code != code {
            site.report(
                """
                \(type(of: action)) was rejected as \(rejection.code) instead of \(code): \
                \(rejection.description)
                """)
        } else if rejection == nil {
            site.report("\(type(of: action)) was not rejected.")
        }
        expect(nil, of: "\(type(of: action))", at: site)
        return rejection
    }
}
