import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findDebianBinary } from '../../testing/debian-binary.ts'

/** Where the file of a full deployment is. */
export const composeFolder = fileURLToPath(new URL('../compose', import.meta.url))
const environment = {
  MESH_VERSION: '0.1.0',
  REGIONS: 'fra,iad',
  PUBLIC_URL: 'https://status.example.com',
  MCP_URL: 'https://mcp.example.com',
  MCP_HOST: 'mcp.example.com',
}
/** Debian's stable release has version 2 of it; bookworm's is written in another language. */
const dockerCompose = {
  package: 'docker-compose',
  names: ['docker-compose'],
  path: 'usr/libexec/docker/cli-plugins/docker-compose',
  suite: 'trixie',
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

/** A full deployment of two regions, as Docker Compose itself reads its file. @throws Error with what it warns of */
export const readDeployment = async (): Promise<Deployment> => {
  const binary = await findDebianBinary(dockerCompose, { mayFetch: true })
  const args = ['--project-directory', composeFolder, '-f', `${composeFolder}/compose.yaml`]
  const options = { env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment } }
  const { stdout, stderr } = await promisify(execFile)(
    binary,
    [...args, 'config', '--format', 'json'],
    options,
  )
  if (stderr !== '') throw new Error(stderr)
  return JSON.parse(stdout) as Deployment
}
