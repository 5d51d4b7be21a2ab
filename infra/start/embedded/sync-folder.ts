import { open } from 'node:fs/promises'

/** Names that were made or changed in a folder outlive a loss of power from here on. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
