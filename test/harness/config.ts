/** Sets or, with undefined, removes a variable of this process; gives what it was. */
export function setEnvironment(name: string, value: string | undefined): string | undefined {
  const before = process.env[name]
  if (value === undefined) Reflect.deleteProperty(process.env, name)
  else process.env[name] = value
  return before
}
