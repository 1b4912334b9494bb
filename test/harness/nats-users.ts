import {
  authorizationConf,
  loadStreamsFile,
  loadUsersFile,
  passwordVariableOf,
  usersOf,
} from '@sciencediscovery/event-store'
import { type NatsSetting } from '@sciencediscovery/testing'

/** Who makes the streams. */
export const streamMaker = 'migrate'
/** A test that looks at streams itself. */
export const observer = { user: 'observer', password: 'password-of-observer' }

const runShards = 4
const passwordOf = (user: string): string => `password-of-${user}`

/** The users that the deployment ships with, and one that may do everything for the test itself. */
export function natsUsersConf(): NonNullable<NatsSetting['further']> {
  const users = usersOf({ streams: loadStreamsFile(), users: loadUsersFile(), runShards })
  const passwords = users.map(({ name }) => [passwordVariableOf(name), passwordOf(name)] as const)
  const all = `  users = [\n    { user: "${observer.user}", password: "${observer.password}" }`
  return {
    conf: authorizationConf(users).replace('  users = [', all),
    env: Object.fromEntries(passwords),
  }
}

/** What a process is told about its user. */
export function natsVariables(user: string): Readonly<Record<string, string>> {
  return { NATS_USER: user, NATS_PASSWORD: passwordOf(user) }
}
