import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeWithFile } from './close-with-file.ts'

/** A new folder that is removed after the tests of the file. A killed process may write to it for a moment. */
export const testFolder = (prefix: string): string => {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  closeWithFile(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return folder
}
