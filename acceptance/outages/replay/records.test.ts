import { expect, it } from 'vitest'
import { machineProblem, readRecords } from './records.ts'

const [record] = await readRecords()

it.each([
  [{}, null],
  [{ heldUp: 0.1 }, 'probes were delayed'],
  [{ answersPerInterval: 1 }, 'only 1 answers'],
  [{ longestGap: 2 }, 'for 2 intervals'],
])('rejects a replay from a busy machine: %j', (changed, problem) => {
  if (record === undefined) throw new Error('no play is recorded')
  const found = machineProblem({ ...record, ...changed })
  if (problem === null) expect(found).toBeNull()
  else expect(found).toContain(problem)
})
