import { expect, test } from 'vitest'
import { clusterProblems } from './cluster-problems.ts'

const expected = { cluster: 'mesh', shard: 2, shards: 2 }
const right = { shard: '2', replica: 'b1', shardsListed: 2 }

test.each([right, { ...right, shard: '02' }])('a correctly configured server has no problem: %o', (facts) => {
  expect(clusterProblems(facts, expected)).toEqual([])
})

test.each([
  [{ ...right, shard: '1' }, 'its macro shard is 1, but CLICKHOUSE_URL has it in shard 2'],
  [{ ...right, shard: null }, 'its macro shard is not set'],
  [{ ...right, replica: null }, 'its macro replica is not set'],
  [{ ...right, shardsListed: 0 }, 'its remote_servers list 0 shards of mesh'],
  [{ ...right, shardsListed: 3 }, 'its remote_servers list 3 shards of mesh'],
])('reports a wrong configuration: %o', (facts, message) => {
  const problems = clusterProblems(facts, expected)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(message)
})

test('reports all problems at once', () => {
  const nothing = { shard: null, replica: null, shardsListed: 0 }
  expect(clusterProblems(nothing, expected)).toHaveLength(3)
})
