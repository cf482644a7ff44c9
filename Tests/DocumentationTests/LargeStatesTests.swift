import StorecastObservation
import StorecastTesting
import Testing

@testable import LargeStates

/// What `Large-states.md` shows does what it says.
@Suite(.timeLimit(.minutes(30)))
@MainActor struct LargeStatesTests {
    private let depot = TestRoom(Depot.room)
    private let connection: RemoteConnection

    /// A depot with 120 parcels, two of three on the van to the north.
    init() async {
        connection = depot.connect(as: Identity("ada"))
        depot.dispatch(Hire(courier: Courier(id: "ada", name: "Ada")))
        for number in 0..<120 {
            let parcel = Parcel(
                "p\(number)", van: number % 3 == 0 ? "south" : "north", due: 500 + number,
                grams: 10, courier: number % 10 == 0 ? "ada" : nil)
            depot.dispatch(Add(parcel: parcel))
        }
        await depot.settle()
    }

    @Test func `views of a row hear of that row only`() async {
        let label = ParcelLabel()
        let rows = follow(connection, label)
        await depot.settle()
        #expect(rows.ids.count == 120)
        depot.dispatch(Deliver(parcel: "p8"))
        await depot.settle()
        #expect(label.texts == ["due at 507"])
        #expect(rows["p8"]?.isDelivered == true)
        depot.dispatch(Deliver(parcel: "p7"))
        await depot.settle()
        #expect(label.texts == ["due at 507", "delivered"])
    }

    @Test func `pages are turned there and back, and stay live`() async {
        let pages = await turnPages(connection)
        #expect(pages.map { $0.state?.rows.first?.id } == ["p1", "p76", "p1"])
        #expect(pages.map { $0.state?.rows.count } == [50, 30, 50])
        #expect(pages.map { $0.state?.count } == [80, 80, 80])
        #expect(pages.map { $0.state?.hasAfter } == [true, false, true])
        depot.dispatch(Deliver(parcel: "p76"))
        await depot.settle()
        #expect(pages.map { $0.state?.rows.first?.id } == ["p1", "p77", "p1"])
        #expect(pages.map { $0.state?.count } == [79, 79, 79])
    }

    @Test func `a page begins with a bound of what it is sorted by`() async {
        let page = RemoteStore(Depot.van, VanPage(van: "south", from: 610), on: connection)
        await depot.settle()
        #expect(page.state?.rows.map(\.id) == ["p111", "p114", "p117"])
    }

    @Test func `an optimistic page shows a dispatch at once`() async {
        let page = await makePage(VanPage(van: "north"), on: connection)
        page.dispatch(Deliver(parcel: "p1"))
        #expect(page.state?.rows.map(\.id).first == "p2")
        #expect(page.state?.rows.count == 49)
        #expect(depot.state.parcels[id: "p1"]?.isDelivered == false)
        await depot.settle()
        #expect(page.state?.rows.count == 50)
    }

    @Test func `aggregates, own rows and joins tell what the rows come to`() async {
        let loads = RemoteStore(Depot.loads, on: connection)
        let mine = RemoteStore(Depot.mine, on: connection)
        let lines = RemoteStore(Depot.withCouriers, "north", on: connection)
        depot.dispatch(Deliver(parcel: "p1"))
        await depot.settle()
        let load = Load(parcels: 79, grams: 790, next: 502)
        #expect(loads.state?[id: "north"]?.value == load)
        #expect(mine.state?.rows.map(\.due) == (0..<12).map { 610 - 10 * $0 })
        let line = VanLine(parcel: "p10", due: 510, courier: "Ada")
        #expect(lines.state?.rows.contains(line) == true)
        depot.dispatch(Hire(courier: Courier(id: "ada", name: "Lady Lovelace")))
        await depot.settle()
        #expect(lines.state?.rows.first { $0.parcel == "p10" }?.courier == "Lady Lovelace")
    }

    @Test func `the queue is in the order that it was put in`() async {
        for id in ["a", "b", "c"] { depot.dispatch(Enqueue(parcel: Parcel(id, van: "", due: 0))) }
        let waiting = RemoteStore(Depot.waiting, nil, on: connection)
        let notice = RemoteStore(Depot.noticeBoard, on: connection)
        depot.dispatch(Hurry(parcel: "c", before: "a"))
        depot.dispatch(Announce(text: "Rain"))
        await depot.settle()
        #expect(waiting.state?.rows.map(\.id) == ["c", "a", "b"])
        #expect(notice.state == "Rain")
    }

    // The snapshots were written by hand, their hashes by Python's hashlib.

    @Test func `a journal that begins with a dictionary is read into tables`() throws {
        let replay = RoomReplay(Depot.room)
        try replay.read(
            """
            {"journal":"storecast","format":1,"room":"/","epoch":"c0ffee"}
            {"offset":7,"version":7,"snapshot":{"format":1,"schema":1,"version":7,"hash":\
            "b6c95524e82586b6acec87fc50259267aa8c7fbd4fd18c9f943c7f7362079652",\
            "clients":{"horizon":0,"records":[]},"state":{"parcels":{\
            "p1":{"due":540,"grams":5,"isDelivered":false,"van":"north"},\
            "p2":{"due":560,"grams":7,"isDelivered":true,"van":"south"}}}}}
            """)
        #expect(replay.state.parcels.ids.elementsEqual(["p1", "p2"]))
        #expect(replay.state.parcels[id: "p2"]?.isDelivered == true)
        #expect(replay.state.queue.isEmpty)
    }

    @Test func `a dictionary by the ids of its rows, and an array, are read as they are`() throws {
        let replay = RoomReplay(Depot.definition)
        try replay.read(
            """
            {"journal":"storecast","format":1,"room":"/","epoch":"c0ffee"}
            {"offset":7,"version":7,"snapshot":{"format":1,"schema":1,"version":7,"hash":\
            "70b130657ed52032f6903bdae7aa89898fd56c940d16dac5f172e18231a7c257",\
            "clients":{"horizon":0,"records":[]},"state":{"parcels":{\
            "p1":{"due":540,"grams":5,"id":"p1","isDelivered":false,"van":"north"}},"queue":[\
            {"due":9,"grams":5,"id":"b","isDelivered":false,"van":""},\
            {"due":9,"grams":5,"id":"a","isDelivered":false,"van":""}]}}}
            """)
        #expect(replay.state.parcels[id: "p1"]?.due == 540)
        #expect(replay.state.queue.ids.elementsEqual(["b", "a"]))
    }
}
