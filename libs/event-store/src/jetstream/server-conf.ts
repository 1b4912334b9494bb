import { type NatsUser } from './user-permissions.js'

/** The variable of the server's environment that holds a user's password, in the clear or as bcrypt. */
export function passwordVariableOf(user: string): string {
  return `NATS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')}`
}

/** The `authorization` block of a nats-server, to be included in its configuration. */
export function authorizationConf(users: readonly NatsUser[]): string {
  const blocks = users.map(userBlock).join('\n')
  return `# Made of streams.json and users.json: do not edit. Passwords are variables of the server's environment.
authorization {
  users = [
${blocks}
  ]
}
`
}

function userBlock({ name, publish, subscribe }: NatsUser): string {
  return `    {
      user: "${name}"
      password: $${passwordVariableOf(name)}
      permissions: {
        publish: { allow: ${list(publish.allow)}, deny: ${list(publish.deny)} }
        subscribe: { allow: ${list(subscribe)} }
        # An answer to a signal goes where the asker listens, once.
        allow_responses: { max: 1, expires: "10s" }
      }
    }`
}

function list(subjects: readonly string[]): string {
  return `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`
}
