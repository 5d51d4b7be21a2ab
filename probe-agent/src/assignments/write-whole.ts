import { writeSync } from 'node:fs'

/** Writes all of a text, also where the disk takes it in parts. @throws Error when it does not */
export const writeWhole = (fd: number, text: string): void => {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) written += writeSync(fd, bytes, written)
}
