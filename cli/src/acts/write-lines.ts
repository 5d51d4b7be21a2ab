import type { Output } from '../terminal/world.ts'

export const writeLines = (output: Pick<Output, 'write'>, lines: readonly string[]): void =>
  output.write(lines.map((line) => `${line}\n`).join(''))
