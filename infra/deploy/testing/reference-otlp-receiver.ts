import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const caches = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
const program = fileURLToPath(new URL('otlp_receiver.py', import.meta.url))
const imported = 'opentelemetry.proto.collector.trace.v1.trace_service_pb2'

/** A span or a series, as the receiver understood it. */
export type Understood = {
  name: string
  attributes: Record<string, string | number>
  /** Of a span. */
  trace?: string
  parent?: string
  status?: number
  /** Of a series. */
  value?: number
}

/** A request that OpenTelemetry's own definitions accept, or why they do not. */
export type UnderstoodRequest = { path: string; items?: Understood[]; problem?: string }

/**
 * Starts a receiver with the types of OpenTelemetry's protocol definitions, from the package `opentelemetry-proto` of the
 * Python registry: that of the machine, else one in a cache of this checkout.
 */
export const startReferenceReceiver = async (): Promise<{
  url: string
  requests: readonly UnderstoodRequest[]
  close(): Promise<void>
}> => {
  const env = { ...process.env, PYTHONPATH: await findPackage() }
  const child = spawn('python3', [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const requests: UnderstoodRequest[] = []
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => reject(new Error('the receiver ended before it had a port')))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const parsed = JSON.parse(line) as UnderstoodRequest & { port?: number }
      if (parsed.port === undefined) requests.push(parsed)
      else resolve(parsed.port)
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      child.kill()
      await ended
    },
  }
}

const findPackage = async (): Promise<string> => {
  if (await imports('')) return ''
  const path = join(caches, 'opentelemetry-proto')
  if (await imports(path)) return path
  await mkdir(caches, { recursive: true })
  const folder = await mkdtemp(`${path}-`)
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--target', folder, 'opentelemetry-proto>=1.30,<2']
    await run('python3', pip)
    await rename(folder, path)
    return path
  } catch (cause) {
    throw new Error(
      'no opentelemetry-proto: install python3 and pip, or the package (pip install opentelemetry-proto)',
      {
        cause,
      },
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const imports = (path: string): Promise<boolean> =>
  run('python3', ['-c', `import ${imported}`], { env: { ...process.env, PYTHONPATH: path } }).then(
    () => true,
    () => false,
  )
