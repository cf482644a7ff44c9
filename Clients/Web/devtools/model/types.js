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
 * @typedef {object} Detail
 * @property {number} version
 * @property {string[]} actions
 * @property {SelectionCost[]} selections
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
 * @property {string} room
 * @property {string} type
 * @property {number} [version]
 * @property {string} [problem]
 */

export {};
