import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findDebianBinary } from '../../testing/debian-binary.ts'
import { dockerCompose } from './docker-compose.ts'

/** The folder of a full deployment. */
export const composeFolder = fileURLToPath(new URL('../compose', import.meta.url))
const environment = {
  MESH_VERSION: '1.0.0-rc.1',
  REGIONS: 'fra,iad',
  PUBLIC_URL: 'https://status.example.com',
  MCP_URL: 'https://mcp.example.com',
  MCP_HOST: 'mcp.example.com',
}

export type Service = {
  image: string
  user?: string
  read_only?: boolean
  privileged?: boolean
  cap_drop?: string[]
  cap_add?: string[]
  security_opt?: string[]
  restart?: string
  command?: string[] | null
  entrypoint?: string[] | null
  depends_on?: Record<string, unknown>
  environment?: Record<string, string>
  networks?: Record<string, unknown>
  ports?: { target: number; published: string }[]
  healthcheck?: { test: string[] }
  secrets?: { source: string; target?: string }[]
  volumes?: { type: string; source: string; target: string; read_only?: boolean }[]
  deploy?: { resources?: { limits?: { cpus?: number; memory?: string; pids?: number } } }
}
export type Deployment = {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean; ipam?: { config?: { subnet: string }[] } }>
  secrets: Record<string, { file: string }>
}

/** Parses a full deployment of two regions with Docker Compose. @throws Error with its warnings */
export const readDeployment = async (): Promise<Deployment> => {
  const binary = await findDebianBinary(dockerCompose, { mayFetch: true })
  const made = await mkdtemp(join(tmpdir(), 'compose-'))
  try {
    const template = await readFile(`${composeFolder}/region.yaml`, 'utf8')
    const files = ['-f', `${composeFolder}/compose.yaml`]
    // like those of prepare.sh
    for (const region of environment.REGIONS.split(',')) {
      const file = join(made, `region-${region}.yaml`)
      await writeFile(file, template.replaceAll('abc', region))
      files.push('-f', file)
    }
    const args = ['--project-directory', composeFolder, ...files, 'config', '--format', 'json']
    const options = { env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment } }
    const { stdout, stderr } = await promisify(execFile)(binary, args, options)
    if (stderr !== '') throw new Error(stderr)
    return JSON.parse(stdout) as Deployment
  } finally {
    await rm(made, { recursive: true })
  }
}
