/** The child's end of a contestant: answers what the benchmark asks, one message at a time. */
export function serve(operations) {
  process.on('message', ({ id, operation, args }) => {
    Promise.resolve()
      .then(() => operations[operation](args))
      .then(
        (result) => process.send({ id, result: result ?? null }),
        (error) => process.send({ id, error: String(error?.stack ?? error) }),
      )
  })
  process.on('disconnect', () => process.exit(0))
  process.send({ id: 0, result: 'ready' })
}
