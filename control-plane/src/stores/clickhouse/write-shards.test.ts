import { ClickHouseError } from '@clickhouse/client'
import { expect, test } from 'vitest'
import { connectNode } from './connect.ts'
import type { Shard } from './shard.ts'
import { writeShards } from './write-shards.ts'

const node = connectNode('http://127.0.0.1:1/mesh')
const refusal = new ClickHouseError({ message: 'no such verdict', code: '691' })
const shard = (failure: Error | null): Shard => ({
  use: async (act) => {
    const done = await act(node)
    if (failure !== null) throw failure
    return done
  },
  useCurrent: () => Promise.reject(new Error('not asked here')),
})

const write = async (failures: readonly (Error | null)[]): Promise<string[]> => {
  const written: string[] = []
  const parts = failures.map((failure, at) => ({ shard: shard(failure), rows: [`row ${at}`] }))
  await writeShards(parts, async (_, rows) => {
    written.push(...rows)
  })
  return written
}

test('each shard gets its own rows', async () => {
  expect(await write([null, null, null])).toEqual(['row 0', 'row 1', 'row 2'])
  expect(await write([null])).toEqual(['row 0'])
})

test('reports a shard with an unknown outcome before one that refuses', async () => {
  const unknown = new Error('socket hang up')
  await expect(write([refusal, unknown, null])).rejects.toBe(unknown)
  await expect(write([null, refusal])).rejects.toBe(refusal)
})
