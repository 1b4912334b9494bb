export { specFor, type Past, type Outcome } from './spec-for.js'
export { fixedClock, type FixedClock } from './fixed-clock.js'
export { until } from './until.js'
export { counterDecider, counterType, counterLimit } from './counter.js'
export { type CounterState, type CounterCommand, type CounterEvent } from './counter.js'
export { commitOf, after, appendRow, collect, codeOf, type Predecessor } from './commits.js'
export { eventStoreContract, type ContractOptions } from './contract/event-store-contract.js'
export { type StoreWorld } from './contract/store-world.js'
export { type Backend } from './backend.js'
export {
  startNats,
  natsBackend,
  type NatsServers,
  type NatsNode,
  type NatsSetting,
} from './start-nats.js'
export { seededRandom, pick, type Random } from './seeded-random.js'
export { Simulation, runSeeds, firstFailingSeed } from './simulation.js'
export { type SimulatedProcess, type SimulationSetting } from './simulation.js'
export {
  faultyStore,
  someFaults,
  noFaults,
  type Faults,
  type FaultySetting,
} from './faulty-store.js'
export { startPostgres, postgresBackend } from './start-postgres.js'
export { type PostgresServer, type PostgresSetting } from './start-postgres.js'
export { startChild, type Child, type ChildSetting } from './child.js'
export { freePorts } from './free-port.js'
export { searchPath } from './config.js'
export { startIssuer, type Issuer, type TokenWish } from './issuer.js'
