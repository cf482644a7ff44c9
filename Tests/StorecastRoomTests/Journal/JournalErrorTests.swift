import StorecastRoom
import Testing

struct JournalErrorTests {
    @Test(
        arguments: [
            (.unavailable("The disk is full."), "The disk is full."),
            (.unfit(place: 3, "The entry is too large."), "The entry is too large."),
            (.replaced("Another server has the room."), "Another server has the room."),
            (.damaged("The file is torn."), "The file is torn."),
            (.truncated(below: 7), "Entries below the offset 7 are no longer kept."),
            (
                .unknownOutcome("The server didn't answer."),
                "The server didn't answer. It isn't known what was appended."
            ),
        ] as [(JournalError, String)])
    func `it is a sentence`(_ error: JournalError, _ text: String) {
        #expect("\(error)" == text)
    }
}
