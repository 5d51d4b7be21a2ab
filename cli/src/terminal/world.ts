/** Where a command writes. What is no terminal is 80 columns wide, without colours. */
export type Output = {
  write(text: string): void
  readonly isTerminal: boolean
  readonly hasColours: boolean
  readonly columns: number
}

/** What commands need of the world, injected so that tests can stand in for it. */
export type World = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What was asked for: what programs read goes here, and nothing else. */
  readonly out: Output
  /** Progress, and what went wrong. */
  readonly err: Output
  /** The whole of standard input as UTF-8. @throws where it is longer or not UTF-8 */
  readInput(bytesMax: number): Promise<string>
  readonly fetch: typeof fetch
  /** Unix milliseconds. */
  now(): number
  pause(ms: number): Promise<void>
  /** Aborted when the user asks to end. */
  readonly signal: AbortSignal
}

/** @throws where the bytes are not UTF-8 */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Error('is not UTF-8 text', { cause })
  }
}

export const writeLines = (output: Pick<Output, 'write'>, lines: readonly string[]): void =>
  output.write(lines.map((line) => `${line}\n`).join(''))

/** "0: applied, nothing to do, or a dry run with no changes; 1; 2: a dry run found pending changes". */
export type ExitCode = 0 | 1 | 2
