// Prints the users of the bus as a nats-server reads them: include the output in its configuration.
// Usage: node deploy/scripts/nats-conf.mjs > /etc/nats/users.conf
import {
  authorizationConf,
  loadStreamsFile,
  loadUsersFile,
  usersOf,
} from '../../libs/event-store/dist/index.js'

const runShards = Number(process.env.SCIENCE_DISCOVERY_RUN_SHARDS ?? 4)
const sources = { streams: loadStreamsFile(), users: loadUsersFile(), runShards }
process.stdout.write(authorizationConf(usersOf(sources)))
