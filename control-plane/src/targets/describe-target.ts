import type { StoredConfig } from '../check-record/stored-config.ts'

/** The columns `url` and `target` of a check: what it measures, in one line. */
export type DescribedTarget = { url: string | null; target: string | null }

/**
 * A journey is known by its first step's URL; tcp and smtp are `host:port`, dns is `name TYPE`, with
 * ` @resolver` where one is named. Pure. http keeps its URL elsewhere and is not described here.
 */
export const describeTarget = (config: StoredConfig): DescribedTarget => {
  switch (config.type) {
    case 'multistep':
      return { url: config.steps[0]?.url ?? null, target: null }
    case 'tcp':
    case 'smtp': {
      const { host, port } = config.settings
      return { url: null, target: `${host.includes(':') ? bracketed(host) : host}:${port}` }
    }
    case 'dns': {
      const { name, recordType, resolver } = config.settings
      const asked = resolver === null ? '' : ` @${resolver}`
      return { url: null, target: `${name} ${recordType}${asked}` }
    }
    case 'http':
    case 'browser':
    case 'heartbeat':
    case 'unknown':
      return { url: null, target: null }
    default:
      return config satisfies never
  }
}

/** An IPv6 address before a port stands in brackets, once. */
const bracketed = (host: string): string => (host.startsWith('[') ? host : `[${host}]`)
