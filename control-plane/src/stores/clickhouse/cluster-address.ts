/** A cluster as the environment describes it. */
export type ClusterAddress = {
  /** The name under which the configuration of every server lists all servers. */
  readonly name: string
  /** The URLs of each shard's replicas. A shard's position is its number, from 1. */
  readonly shards: readonly (readonly string[])[]
}

const shardsMax = 64
const replicasMax = 8
const nameRule = /^[A-Za-z_][\w-]{0,63}$/
const databaseRule = /^\/[A-Za-z_]\w{0,63}$/

const partsOf = (text: string, separator: string): string[] =>
  text.split(separator).map((part) => part.trim())

type Problem = (variable: string, message: string) => void

/**
 * Reads `CLICKHOUSE_URL` and `CLICKHOUSE_CLUSTER`: the URL of a single server, or a cluster's name and the
 * URLs of all its servers, with commas between the replicas of a shard and semicolons between shards.
 * @param problem receives every problem. URLs may contain passwords, so no message repeats one.
 * @returns the only URL, or the first one of a cluster
 */
export const parseClickHouse = (
  urls: string | null,
  cluster: string | null,
  problem: Problem,
): { clickhouseUrl: string | null; clickhouseCluster: ClusterAddress | null } => {
  const wrong = (message: string): void => problem('CLICKHOUSE_URL', message)
  if (cluster === null) {
    if (urls === null) return { clickhouseUrl: null, clickhouseCluster: null }
    if (/[;,]\s*https?:/.test(urls)) {
      wrong('names several servers; set CLICKHOUSE_CLUSTER to the name of their cluster')
    } else if (!isUrl(urls)) {
      wrong('must be a URL that starts with http:// or https://')
    }
    return { clickhouseUrl: urls, clickhouseCluster: null }
  }
  if (!nameRule.test(cluster)) {
    problem('CLICKHOUSE_CLUSTER', 'must be a name of letters, digits, _ and -, such as mesh')
  }
  if (urls === null) {
    problem('CLICKHOUSE_CLUSTER', 'needs CLICKHOUSE_URL with all servers of the cluster')
    return { clickhouseUrl: null, clickhouseCluster: null }
  }
  const shards = partsOf(urls, ';').map((shard) => partsOf(shard, ','))
  for (const message of problemsOf(shards)) wrong(message)
  return {
    clickhouseUrl: shards[0]?.[0] ?? null,
    clickhouseCluster: Object.freeze({ name: cluster, shards }),
  }
}

const isUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

const problemsOf = (shards: readonly (readonly string[])[]): string[] => {
  const problems: string[] = []
  if (shards.length > shardsMax) problems.push(`must name at most ${shardsMax} shards`)
  const hosts = new Set<string>()
  const databases = new Set<string>()
  for (const [at, replicas] of shards.entries()) {
    if (replicas.length > replicasMax) {
      problems.push(`must name at most ${replicasMax} replicas of shard ${at + 1}`)
    }
    for (const [place, replica] of replicas.entries()) {
      const which = `replica ${place + 1} of shard ${at + 1}`
      if (!isUrl(replica)) {
        problems.push(`must be URLs that start with http:// or https://: ${which} is not`)
        continue
      }
      const { host, pathname } = new URL(replica)
      if (hosts.has(host)) problems.push(`names a server twice: ${which}`)
      hosts.add(host)
      if (databaseRule.test(pathname)) databases.add(pathname)
      else problems.push(`must end in a database, such as /mesh: ${which} does not`)
    }
  }
  if (databases.size > 1) problems.push('must end in the same database everywhere')
  return problems
}
