import { apiKeyScope } from '@probe-mesh/contracts/account/api-key'
import type { World } from '../terminal/world.ts'
import type { Failure } from './failure.ts'

export const apiUrlDefault = 'http://127.0.0.1:8080/v1'
const inputBytesMax = 1_024

export type Settings = { apiUrl: string; apiKey: string }

/** Where the API is: `--api-url`, `SERVICE_API_URL`, or this machine's. */
export const readApiUrl = (
  { environment }: Pick<World, 'environment'>,
  { apiUrl }: { apiUrl: string | undefined },
): { ok: true; apiUrl: string } | { ok: false; failure: Failure } => {
  const given = apiUrl ?? (environment['SERVICE_API_URL'] || apiUrlDefault)
  const from = apiUrl === undefined ? 'SERVICE_API_URL' : '--api-url'
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) {
    const message = `${from}: ${JSON.stringify(given)} is no http or https URL, such as ${apiUrlDefault}`
    return { ok: false, failure: { message } }
  }
  return { ok: true, apiUrl: given.replace(/\/+$/, '') }
}

/**
 * Where the API is and with which key: `--api-key`, standard input where that is `-`, else
 * `SERVICE_API_KEY`. A key that was cut or mistyped is told before anything is sent; no message
 * repeats it.
 * @returns every problem at once
 */
export const readSettings = async (
  world: Pick<World, 'environment' | 'readInput'>,
  options: { apiUrl: string | undefined; apiKey: string | undefined },
): Promise<{ ok: true; settings: Settings } | { ok: false; failures: Failure[] }> => {
  const url = readApiUrl(world, options)
  const key = await readKey(world, options.apiKey)
  if (url.ok && typeof key === 'string') {
    return { ok: true, settings: { apiUrl: url.apiUrl, apiKey: key } }
  }
  return {
    ok: false,
    failures: [...(url.ok ? [] : [url.failure]), ...(typeof key === 'string' ? [] : [key])],
  }
}

/** @returns the key, or why there is none; standard input is read where the option is `-` */
export const readKey = async (
  { environment, readInput }: Pick<World, 'environment' | 'readInput'>,
  option: string | undefined,
): Promise<string | Failure> => {
  const given = option === '-' ? await readInput(inputBytesMax).catch(messageOf) : option
  if (typeof given === 'object') return given
  const key = (given ?? environment['SERVICE_API_KEY'] ?? '').trim()
  if (key === '') {
    const message = given === undefined ? 'There is no API key.' : 'The API key is empty.'
    return { message, hint: 'Set SERVICE_API_KEY, or pipe the key in with --api-key -.' }
  }
  if (apiKeyScope(key) !== null) return key
  return {
    message: `This is no API key: it is cut or mistyped (${key.length} characters).`,
    hint: 'A key is sv_r_ or sv_rw_ and 49 letters and digits.',
  }
}

const messageOf = (error: unknown): Failure => {
  if (!(error instanceof Error)) throw error
  return { message: `The API key on standard input: ${error.message}` }
}
