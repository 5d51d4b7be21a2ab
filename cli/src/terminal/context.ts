/** Where a command writes. Off a terminal: 80 columns, without colours. */
export type Output = {
  write(text: string): void
  readonly isTerminal: boolean
  readonly hasColours: boolean
  readonly columns: number
}

/** What commands need of their process, injected for tests. */
export type Context = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The answer of the command, for programs to read, and nothing else. */
  readonly out: Output
  /** Progress and errors. */
  readonly err: Output
  /** All of standard input as UTF-8. @throws if it is longer or not UTF-8 */
  readInput(bytesMax: number): Promise<string>
  readonly fetch: typeof fetch
  /** Unix milliseconds. */
  now(): number
  pause(ms: number): Promise<void>
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal
}

/** @throws if the bytes are not UTF-8 */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Error('is not UTF-8 text', { cause })
  }
}

export const writeLines = (output: Pick<Output, 'write'>, lines: readonly string[]): void =>
  output.write(lines.map((line) => `${line}\n`).join(''))

/**
 * 0: applied, nothing to do, or a dry run without changes; 1: failed; 2: a dry run found changes.
 */
export type ExitCode = 0 | 1 | 2
