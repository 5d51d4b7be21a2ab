import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The place of a found secret, and its form there. */
export type Trace = { where: string; secret: string; form: string }

/** Searches bytes for many texts at once. */
export type Search = {
  /** @param where the name of the place in traces */
  inBytes(where: string, bytes: Uint8Array): Trace[]
  /** Searches all files of a folder. */
  inFiles(folder: string): Promise<Trace[]>
}

/** One line for each place and secret, at most 50. */
export const linesOf = (traces: readonly Trace[]): string[] =>
  [...new Set(traces.map(({ where, form }) => `${where}: ${form}`))].slice(0, 50)

/** Shorter texts occur by chance. */
const formCharactersMin = 8

/**
 * A search for secrets in every form of databases, logs and answers: plain, and encoded for URLs, JSON, HTML,
 * base64 at any offset, and hexadecimal.
 * @throws Error for a secret that is so short that it occurs by chance
 */
export const createSearch = (secrets: readonly string[]): Search => {
  const short = secrets.filter((secret) => secret.length < formCharactersMin)
  if (short.length > 0) throw new Error(`too short to search for: ${short.join(', ')}`)
  const byStart = new Map<number, { bytes: Buffer; secret: string; form: string }[]>()
  const isStart = new Uint8Array(2 ** 24)
  for (const secret of new Set(secrets)) {
    for (const form of formsOf(secret)) {
      const bytes = Buffer.from(form)
      const start = startAt(bytes, 0)
      isStart[start] = 1
      const known = byStart.get(start)
      if (known === undefined) byStart.set(start, [{ bytes, secret, form }])
      else known.push({ bytes, secret, form })
    }
  }
  const inBytes = (where: string, bytes: Uint8Array): Trace[] => {
    const traces: Trace[] = []
    for (let at = 0; at + 2 < bytes.length; at++) {
      const start = startAt(bytes, at)
      if (isStart[start] === 0) continue
      for (const { bytes: wanted, secret, form } of byStart.get(start) ?? []) {
        const found = bytes.subarray(at, at + wanted.length)
        if (wanted.equals(found)) traces.push({ where, secret, form })
      }
    }
    return traces
  }
  return {
    inBytes,
    inFiles: async (folder) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const traces: Trace[] = []
      for (const entry of entries.filter((each) => each.isFile())) {
        const path = join(entry.parentPath, entry.name)
        // a deleted file counts as empty
        const bytes = await readFile(path).catch(() => Buffer.alloc(0))
        traces.push(...inBytes(path, bytes))
      }
      return traces
    },
  }
}

const startAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)

const formsOf = (secret: string): ReadonlySet<string> => {
  const url = encodeURIComponent(secret)
  const hex = Buffer.from(secret).toString('hex')
  const html = secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
  const json = JSON.stringify(secret).slice(1, -1)
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = base64Within(secret, offset)
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return new Set([secret, url, url.toLowerCase(), html, json, hex, hex.toUpperCase(), ...base64])
}

/** The part of a text's base64 that is independent of the bytes before and after it. */
const base64Within = (text: string, offset: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)])
  const whole = bytes.toString('base64').replaceAll('=', '')
  const from = offset === 0 ? 0 : offset + 1
  return whole.slice(from, bytes.length % 3 === 0 ? undefined : -1)
}
