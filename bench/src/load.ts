import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'

const autocannon = createRequire(import.meta.url).resolve('autocannon')

/** What a run of load showed. */
export type LoadResult = { requests: number; seconds: number; errors: number; latencyP99Ms: number }

/** Asks one URL over and over, as fast as answers come, from a process of its own. */
export const runLoad = async (options: {
  url: string
  headers: Record<string, string>
  /** A GET without it. */
  post?: string
  connections: number
  seconds: number
}): Promise<LoadResult> => {
  const { url, headers, post, connections, seconds } = options
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const body = post === undefined ? [] : ['-m', 'POST', '-b', post]
  const flags = ['--json', '-c', String(connections), '-d', String(seconds), ...given, ...body, url]
  const { stdout } = await promisify(execFile)(process.execPath, [autocannon, ...flags])
  const result = resultOf(stdout)
  return {
    requests: result['2xx'],
    seconds: result.duration,
    errors: result.errors + result.non2xx,
    latencyP99Ms: result.latency.p99,
  }
}

/** The part of autocannon's JSON that is read here, as its version 9 prints it. */
const resultOf = (stdout: string) =>
  JSON.parse(stdout) as {
    '2xx': number
    non2xx: number
    errors: number
    duration: number
    latency: { p99: number }
  }
