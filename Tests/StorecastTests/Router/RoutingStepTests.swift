import Storecast
import Testing

struct RoutingStepTests {
    @Test func `from nothing, each element is pushed onto the one before`() {
        #expect(
            RoutingStep.steps(from: [], to: ["tabs", "users"]) == [
                .push("tabs", depth: 0), .push("users", depth: 1),
            ])
    }

    @Test func `to nothing, each element is popped, the innermost first`() {
        #expect(
            RoutingStep.steps(from: ["tabs", "users"], to: []) == [
                .pop("users", depth: 1), .pop("tabs", depth: 0),
            ])
    }

    @Test func `between equal routes there is nothing to do`() {
        #expect(RoutingStep.steps(from: [], to: []) == [])
        #expect(RoutingStep.steps(from: ["tabs", "users"], to: ["tabs", "users"]) == [])
    }

    @Test func `where both routes go on differently, an element is changed`() {
        #expect(
            RoutingStep.steps(from: ["tabs", "users"], to: ["tabs", "films"]) == [
                .change(from: "users", to: "films", depth: 1)
            ])
        #expect(
            RoutingStep.steps(from: ["login"], to: ["tabs"]) == [
                .change(from: "login", to: "tabs", depth: 0)
            ])
    }

    @Test func `what is inside it is popped before and pushed after the change`() {
        #expect(
            RoutingStep.steps(
                from: ["tabs", "users", "ann", "photo"], to: ["tabs", "films", "solaris"]
            ) == [
                .pop("photo", depth: 3), .pop("ann", depth: 2),
                .change(from: "users", to: "films", depth: 1),
                .push("solaris", depth: 2),
            ])
    }

    @Test func `an element that only one route has is pushed or popped, not changed`() {
        #expect(
            RoutingStep.steps(from: ["tabs"], to: ["tabs", "users"]) == [
                .push("users", depth: 1)
            ])
        #expect(
            RoutingStep.steps(from: ["tabs", "users"], to: ["tabs"]) == [
                .pop("users", depth: 1)
            ])
    }

    /// A stack that follows the steps and notes those that can't be done on it.
    private struct Stack {
        var route: Route
        var problems: [RoutingStep] = []

        mutating func take(_ step: RoutingStep) {
            switch step {
            case .push(let element, let depth):
                if depth != route.count { problems.append(step) }
                route.append(element)
            case .pop(let element, let depth):
                let last = route.popLast()
                if last != element || depth != route.count { problems.append(step) }
            case .change(let old, let new, let depth):
                let last = route.popLast()
                if last != old || old == new || depth != route.count { problems.append(step) }
                route.append(new)
            }
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `the steps between random routes lead from one to the other, by the shortest way`(
        seed: UInt64
    ) {
        var generator = SplitMix(state: seed)
        func makeRoute() -> Route {
            (0..<generator.next(below: 6)).map { _ in
                "abc".map(String.init)[generator.next(below: 3)]
            }
        }
        for _ in 0..<200 {
            let (old, new) = (makeRoute(), makeRoute())
            var stack = Stack(route: old)
            let steps = RoutingStep.steps(from: old, to: new)
            for (number, step) in steps.enumerated() {
                // A router works the rest out anew after each step.
                #expect(RoutingStep.steps(from: stack.route, to: new) == Array(steps[number...]))
                stack.take(step)
            }
            var common = 0
            while common < min(old.count, new.count), old[common] == new[common] { common += 1 }
            #expect(stack.route == new, "seed \(seed), \(old) to \(new)")
            #expect(stack.problems.isEmpty, "seed \(seed), \(old) to \(new)")
            let changes = min(old.count, new.count) > common ? 1 : 0
            #expect(steps.count == old.count + new.count - 2 * common - changes)
        }
    }
}
