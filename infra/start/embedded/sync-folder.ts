import { open } from 'node:fs/promises'

/** Makes new and changed names in a folder survive a power loss. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
