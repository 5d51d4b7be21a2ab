import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emptyCatalogFile } from '@probe-mesh/infra/testing/empty-catalog'
import { createCommandPart } from '@probe-mesh/infra/testing/processes/command-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import type { Part } from '@probe-mesh/infra/testing/processes/part'

const script = fileURLToPath(import.meta.resolve('@probe-mesh/infra/start/all-in-one/main'))

/** What `npm start` runs, as a process of its own that measures no catalog. @param folder where it keeps everything */
export const createAllInOne = async (folder: string): Promise<Part> => {
  const [port = 0] = await freePorts(1)
  return createCommandPart({
    name: 'npm start',
    command: [process.execPath, script],
    environment: {
      PORT: String(port),
      MCP_PORT: '0',
      DATA_DIR: join(folder, 'data'),
      CATALOG_FILE: emptyCatalogFile,
      LOG_LEVEL: 'error',
    },
    logFile: join(folder, 'log'),
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok,
  })
}
