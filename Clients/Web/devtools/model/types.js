/**
 * What the devtools' room says.
 *
 * @typedef {{ half: number, most: number }} Percentiles  in microseconds
 *
 * @typedef {object} Report
 * @property {string} room
 * @property {number} version
 * @property {string} epoch
 * @property {string} phase
 * @property {number} clients
 * @property {Record<string, number>} subscriptions
 * @property {number} lag
 * @property {number} waiting
 * @property {number} waitingBytes
 * @property {LinkTraffic} traffic
 * @property {Percentiles} [append]
 * @property {Percentiles} [commit]
 * @property {number} actionsPerSecond
 * @property {number} messagesPerSecond
 *
 * @typedef {object} Cluster
 * @property {ClusterServer[]} servers
 * @property {{ room: string, server?: string }[]} rooms
 * @property {number} total  of the rooms
 * @property {string} [problem]
 *
 * @typedef {object} ClusterServer
 * @property {string} id
 * @property {string} address
 * @property {number} rooms
 * @property {boolean} isDrained
 * @property {boolean} isOwn
 *
 * @typedef {{ messages: number, bytes: number }} Traffic
 * @typedef {{ received: Traffic, sent: Traffic }} LinkTraffic
 *
 * @typedef {object} Client
 * @property {string} participant
 * @property {string} user
 * @property {string[]} roles
 * @property {string} address
 * @property {number} lag
 * @property {LinkTraffic} traffic
 * @property {number} [silence]  seconds since something came from it
 * @property {number} [knew]  the version that it knew when it last dispatched something
 * @property {number} [knewLate]  for how many milliseconds that had been an old one
 * @property {Subscription[]} subscriptions
 *
 * @typedef {object} Subscription
 * @property {string} selection
 * @property {unknown} parameters
 * @property {number} lag
 * @property {number} bytes
 *
 * @typedef {object} SelectionCost
 * @property {string} selection
 * @property {string} way
 * @property {number} groups
 * @property {number} evaluations
 * @property {number} changes
 * @property {number} bytes
 * @property {number} microseconds  of an evaluation
 * @property {number} share  of the time of all, from 0 to 1
 *
 * @typedef {object} DispatchCost
 * @property {string} type
 * @property {number} count
 * @property {number} rejected
 * @property {number} bytes
 * @property {number} microseconds  of a dispatch
 * @property {number} share  of the time of all, from 0 to 1
 *
 * @typedef {object} Turn
 * @property {number} time
 * @property {number} reduce  microseconds, as the next three
 * @property {number} select
 * @property {number} encode
 * @property {number} write
 * @property {number} dispatches
 * @property {number} messages
 * @property {string} [longest]
 * @property {string} [room]
 *
 * @typedef {{ count: number, turns: Turn[], slowest: Turn[], problem?: string }} Turns
 *
 * @typedef {object} Samples
 * @property {string} state  the Swift type of the room's state
 * @property {{ type: string, payload: unknown }[]} actions
 * @property {string} [problem]
 *
 * @typedef {object} Found
 * @property {number | null} version
 * @property {Dispatch} [dispatch]
 * @property {unknown} [before]
 * @property {unknown} [after]
 * @property {boolean} [isCut]
 * @property {number} [from]
 * @property {number} [through]
 * @property {boolean} [isBounded]
 * @property {string} [problem]
 *
 * @typedef {object} Detail
 * @property {number} version
 * @property {string[]} actions
 * @property {SelectionCost[]} selections
 * @property {DispatchCost[]} dispatches
 * @property {number} count
 * @property {Client[]} clients
 * @property {string} [problem]
 *
 * @typedef {object} LoggedAction
 * @property {string} type
 * @property {unknown} [payload]
 * @property {string} [excerpt]
 * @property {number} bytes
 *
 * @typedef {object} Dispatch
 * @property {number} [number]
 * @property {number} [offset]
 * @property {number} version
 * @property {number} time
 * @property {string} user
 * @property {string} participant
 * @property {number} seq
 * @property {LoggedAction[]} actions
 * @property {string} [rejection]
 *
 * @typedef {object} Sample
 * @property {number} time
 * @property {number} actions
 * @property {number} messages
 * @property {number} received
 * @property {number} sent
 * @property {Percentiles} [append]
 * @property {Percentiles} [commit]
 *
 * @typedef {object} StateAnswer
 * @property {number} version
 * @property {unknown} state
 * @property {unknown[]} [undo]
 * @property {number} [affected]
 * @property {string} [problem]
 *
 * @typedef {object} Forwarded
 * @property {string} ticket
 * @property {string} [room]
 * @property {string} type
 * @property {boolean} isOver
 * @property {number} [version]
 * @property {string} [problem]
 */

export {};
