import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'
import { createCommandPart } from '@probe-mesh/infra/testing/processes/command-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { expectedText, page, type Target, type Targets } from './targets.ts'

/** The target of checks whose cost is measured. */
type Site = Target & { server: string; close(): Promise<void> }

/** Starts nginx, which most targets resemble; where it is missing, the bench's own server is used and logged. */
export const startSite = async (
  folder: string,
  targets: Targets,
  { mayFetch, log }: { mayFetch: boolean; log: (line: string) => void },
): Promise<Site> => {
  const { httpPort, httpsPort, ca, namesPort } = targets
  try {
    const started = await startNginx(join(folder, 'nginx'), targets, { mayFetch })
    return { ca, namesPort, server: 'nginx', ...started }
  } catch (error) {
    log(`no nginx to check: ${error instanceof Error ? error.message : error}`)
    return { httpPort, httpsPort, ca, namesPort, server: 'node', close: async () => undefined }
  }
}

const startNginx = async (
  folder: string,
  { leaf }: Targets,
  options: { mayFetch: boolean },
): Promise<Pick<Site, 'httpPort' | 'httpsPort' | 'close'>> => {
  const program = await findDebianProgram('nginx', options)
  const [httpPort = 0, httpsPort = 0] = await freePorts(2)
  await mkdir(folder, { recursive: true })
  const files = {
    'leaf.key': leaf.key,
    'leaf.pem': leaf.cert,
    'index.html': page,
    'nginx.conf': configurationOf(folder, { httpPort, httpsPort }),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const nginx = createCommandPart({
    name: 'nginx',
    command: [program, '-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')],
    environment: {},
    logFile: join(folder, 'log'),
    isReady: async () => {
      const answer = await fetch(`http://127.0.0.1:${httpPort}/`)
      return (await answer.text()).includes(expectedText)
    },
  })
  await nginx.start()
  return { httpPort, httpsPort, close: nginx.close }
}

/** One worker on the files of this folder. A monitor does not resume sessions, so they are off. */
const configurationOf = (
  folder: string,
  { httpPort, httpsPort }: { httpPort: number; httpsPort: number },
): string => `
daemon off;
master_process off;
pid ${folder}/pid;
events { worker_connections 8192; }
http {
  access_log off;
  default_type text/html;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ssl_session_tickets off;
  server {
    listen 127.0.0.1:${httpPort} backlog=4096;
    listen 127.0.0.1:${httpsPort} ssl backlog=4096;
    ssl_certificate ${folder}/leaf.pem;
    ssl_certificate_key ${folder}/leaf.key;
    root ${folder};
    location / { try_files /index.html =404; }
  }
}
`
