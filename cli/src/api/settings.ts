import { apiKeyScope } from '@probe-mesh/contracts/account/key-text'
import type { Context } from '../terminal/context.ts'
import type { Failure } from './failure.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

export const apiUrlDefault = 'http://127.0.0.1:8080/v1'
const inputBytesMax = 1_024

export type Settings = { apiUrl: string; apiKey: string }

/** The API URL: `--api-url`, `SERVICE_API_URL`, or the default on this machine. Without a path it gets `/v1`. */
export const readApiUrl = (
  { environment }: Pick<Context, 'environment'>,
  { apiUrl }: { apiUrl: string | undefined },
): { ok: true; apiUrl: string } | { ok: false; failure: Failure } => {
  const given = apiUrl ?? (environment['SERVICE_API_URL'] || apiUrlDefault)
  const from = apiUrl === undefined ? 'SERVICE_API_URL' : '--api-url'
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) {
    const message = `${from}: ${JSON.stringify(given)} is not an http or https URL, such as ${apiUrlDefault}`
    return { ok: false, failure: { message } }
  }
  const { pathname, origin } = new URL(given)
  return { ok: true, apiUrl: pathname === '/' ? `${origin}/v1` : withoutEnd(given, '/') }
}

/**
 * The API URL and the key: `--api-key` (`-` reads standard input), else `SERVICE_API_KEY`. A
 * truncated or mistyped key is reported before anything is sent; no message repeats the key.
 * @returns every problem at once
 */
export const readSettings = async (
  context: Pick<Context, 'environment' | 'readInput'>,
  options: { apiUrl: string | undefined; apiKey: string | undefined },
): Promise<{ ok: true; settings: Settings } | { ok: false; failures: Failure[] }> => {
  const url = readApiUrl(context, options)
  const key = await readKey(context, options.apiKey)
  if (url.ok && typeof key === 'string') {
    return { ok: true, settings: { apiUrl: url.apiUrl, apiKey: key } }
  }
  return {
    ok: false,
    failures: [...(url.ok ? [] : [url.failure]), ...(typeof key === 'string' ? [] : [key])],
  }
}

/** @returns the key, or why there is none; `-` reads standard input */
export const readKey = async (
  { environment, readInput }: Pick<Context, 'environment' | 'readInput'>,
  option: string | undefined,
): Promise<string | Failure> => {
  const given = option === '-' ? await readInput(inputBytesMax).catch(messageOf) : option
  if (typeof given === 'object') return given
  const key = (given ?? environment['SERVICE_API_KEY'] ?? '').trim()
  if (key === '') {
    const message = given === undefined ? 'No API key is set.' : 'The API key is empty.'
    return { message, hint: 'Set SERVICE_API_KEY, or pipe the key in with --api-key -.' }
  }
  if (apiKeyScope(key) !== null) return key
  return {
    message: `This is not an API key: it is truncated or mistyped (${key.length} characters).`,
    hint: 'A key is sv_r_ or sv_rw_ followed by 49 letters and digits.',
  }
}

const messageOf = (error: unknown): Failure => {
  if (!(error instanceof Error)) throw error
  return { message: `The API key on standard input: ${error.message}` }
}
