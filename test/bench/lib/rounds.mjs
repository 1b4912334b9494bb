/** Measures the contestants round by round, each round in another order, after one round that does not count. */
export async function interleaved(contestants, { rounds, log = () => undefined }) {
  const measured = []
  for (let round = -1; round < rounds; round += 1) {
    const turned = Math.max(0, round) % contestants.length
    const order = [...contestants.slice(turned), ...contestants.slice(0, turned)]
    if (round % 2 === 1) order.reverse()
    const results = {}
    for (const { name, measure } of order) results[name] = await measure(round < 0)
    if (round < 0) continue
    log(`round ${round + 1}/${rounds}`)
    measured.push(results)
  }
  return measured
}
