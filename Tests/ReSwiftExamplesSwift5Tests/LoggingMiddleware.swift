import Storecast

let loggingMiddleware: Middleware<Any> = { dispatch, getState in
    return { next in
        return { action in
            // perform middleware logic
            print(action)

            // call next middleware
            return next(action)
        }
    }
}

let secondMiddleware: Middleware<CounterState> = { dispatch, getState in
    return { next in
        return { action in
            if let count = getState()?.counter, count >= 10, action is CounterActionIncrease {
                dispatch(CounterActionDecrease())
            } else {
                next(action)
            }
        }
    }
}
