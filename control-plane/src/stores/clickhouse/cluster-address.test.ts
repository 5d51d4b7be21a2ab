import { expect, test } from 'vitest'
import { parseClickHouse } from './cluster-address.ts'

const parse = (urls: string | null, cluster: string | null) => {
  const problems: string[] = []
  const address = parseClickHouse(urls, cluster, (variable, message) =>
    problems.push(`${variable} ${message}`),
  )
  return { address, problems }
}
const a = 'http://u:secret@a:8123/mesh'
const [b, c, d] = ['http://b:8123/mesh', 'https://c:8443/mesh', 'https://d:8443/mesh']

test.each([null, a])('%s without a cluster is a single server', (urls) => {
  expect(parse(urls, null)).toEqual({
    address: { clickhouseUrl: urls, clickhouseCluster: null },
    problems: [],
  })
})

test('reads the shards in order, each with its replicas', () => {
  expect(parse(`${a}, ${b};${c},${d}`, 'mesh')).toEqual({
    address: {
      clickhouseUrl: a,
      clickhouseCluster: {
        name: 'mesh',
        shards: [
          [a, b],
          [c, d],
        ],
      },
    },
    problems: [],
  })
  expect(parse(a, 'mesh').address.clickhouseCluster?.shards).toEqual([[a]])
})

test.each<[string, string | null, string | null, string]>([
  ['no URL', 'clickhouse:8123', null, 'must be a URL that starts with http:// or https://'],
  ['several servers without a cluster', `${a},${b}`, null, 'set CLICKHOUSE_CLUSTER'],
  ['several shards without a cluster', `${a};${b}`, null, 'set CLICKHOUSE_CLUSTER'],
  ['a cluster without servers', null, 'mesh', 'needs CLICKHOUSE_URL with all servers'],
  ['a name that is none', a, "me'sh", 'CLICKHOUSE_CLUSTER must be a name'],
  ['a shard without a server', `${a};`, 'mesh', 'replica 1 of shard 2 is not'],
  ['a replica that is no URL', `${a},ftp://b/mesh`, 'mesh', 'replica 2 of shard 1 is not'],
  ['a server without a database', `${a};http://b:8123`, 'mesh', 'replica 1 of shard 2 does not'],
  ['a database of two parts', 'http://b:8123/mesh/x', 'mesh', 'must end in a database'],
  ['two databases', `${a},http://b:8123/other`, 'mesh', 'the same database everywhere'],
  ['a server twice', `${a};${a}`, 'mesh', 'names a server twice: replica 1 of shard 2'],
  ['more replicas than 8', hosts(9).join(','), 'mesh', 'at most 8 replicas of shard 1'],
  ['more shards than 64', hosts(65).join(';'), 'mesh', 'at most 64 shards'],
])('%s is reported without a password', (_, urls, cluster, message) => {
  const { problems } = parse(urls, cluster)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(message)
  expect(problems[0]).not.toContain('secret')
})

test('accepts the maximum of shards and replicas, and reports all problems at once', () => {
  expect(parse(hosts(64).join(';'), 'mesh').problems).toEqual([])
  expect(parse(hosts(8).join(','), 'mesh').problems).toEqual([])
  expect(parse('ftp://a/mesh;http://b', '-').problems).toHaveLength(3)
})

function hosts(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `http://host${n}:8123/mesh`)
}
