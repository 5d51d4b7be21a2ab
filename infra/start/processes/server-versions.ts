import type { ServerName } from './server-remedies.ts'

/**
 * The supported versions of servers. Versions below `least` are refused; tests run against those in `tried`.
 */
export const serverVersions = {
  Postgres: { least: '15', tried: ['15.18', '18.4'] },
  ClickHouse: { least: '25', tried: ['26.7'] },
  NATS: { least: '2.9', tried: ['2.9.10', '2.10.27'] },
} as const satisfies Record<ServerName, { least: string; tried: readonly string[] }>

/** One line for each server that is too old. Unknown versions pass. */
export const tooOld = (found: Readonly<Record<ServerName, string | null>>): string[] =>
  (Object.keys(serverVersions) as ServerName[]).flatMap((server) => {
    const { least } = serverVersions[server]
    const version = found[server] ?? ''
    return isOlder(version, least)
      ? [`${server} is version ${version}; version ${least} or later is required. Upgrade it.`]
      : []
  })

/** Whether a version such as "15.18 (Debian)" is older than another, part by part. */
const isOlder = (version: string, least: string): boolean => {
  const [mine, wanted] = [version, least].map((text) =>
    (/^v?(\d+(?:\.\d+)*)/.exec(text)?.[1] ?? '').split('.').map(Number),
  )
  if (mine === undefined || wanted === undefined || version === '' || !/^v?\d/.test(version)) return false
  for (const [at, part] of wanted.entries()) {
    const own = mine[at] ?? 0
    if (own !== part) return own < part
  }
  return false
}
