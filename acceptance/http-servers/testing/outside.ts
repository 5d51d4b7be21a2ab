// nginx, caddy and haproxy of a small internet, in their own network namespace. The addresses appear with the
// link to the agent's namespace, so this waits for it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { at, listeningAt, zone, type ServersStage } from '../cases.ts'

const [stageFile = ''] = process.argv.slice(2)
const { folder, programs }: ServersStage = JSON.parse(await readFile(stageFile, 'utf8'))
const site = join(folder, 'site')
const listens = ({ v4, v6 }: { v4: string; v6: string }, port: number, more: string): string =>
  [v4, `[${v6}]`].map((address) => `listen ${address}:${port} ${more};`).join(' ')

const locations = `
    root ${site};
    absolute_redirect off;
    location = / { try_files /index.html =404; }
    location = /packed { gzip on; gzip_types *; gzip_min_length 0; try_files /large =404; }
    location = /down { return 503; }
    location = /away { return 302 /; }
    location = /to { return 301 $args; }`

/** The stream module is next to a downloaded program, else where Debian installs it. */
const moduleFolder = programs.nginx.includes('node_modules')
  ? join(dirname(programs.nginx), 'root/usr/lib/nginx/modules')
  : '/usr/lib/nginx/modules'

const nginxConfig = `
load_module ${moduleFolder}/ngx_stream_module.so;
user root;
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 512; }
stream {
  ssl_certificate ${folder}/leaf.pem;
  ssl_certificate_key ${folder}/leaf.key;
  ssl_alpn h2;
  server { ${listens(at.nginxH2, 443, 'ssl')} proxy_pass unix:${folder}/h2; }
  server { ${listens(at.nginxH2Once, 443, 'ssl')} proxy_pass unix:${folder}/once; }
}
http {
  access_log off;
  default_type text/html;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ssl_certificate ${folder}/leaf.pem;
  ssl_certificate_key ${folder}/leaf.key;
  server { ${listens(at.nginx, 80, '')} ${locations}
  }
  server { ${listens(at.nginx, 443, 'ssl http2')} ${locations}
  }
  server { listen unix:${folder}/h2 http2; ${locations}
  }
  server { listen unix:${folder}/once http2; keepalive_requests 1; ${locations}
  }
}
`

const caddySite = ({ v4, v6 }: { v4: string; v6: string }, alpn: string, names: string): string => `
${names} {
  bind ${v4} ${v6}
  tls ${folder}/leaf.pem ${folder}/leaf.key ${alpn}
  root * ${site}
  header Content-Type text/html
  respond /down 503
  file_server
}
`
const namesOf = (...names: string[]): string => names.map((name) => `https://${name}.${zone}`).join(', ')
const caddyConfig = `{
  admin off
  auto_https off
}
${caddySite(at.caddy, '', namesOf('caddy', 'caddy-large', 'caddy-down', 'refused-four-caddy', 'refused-six-caddy'))}
${caddySite(at.caddyH2, '{\n    alpn h2\n  }', namesOf('caddy-h2', 'caddy-h2-large', 'caddy-h2-down'))}
`

const binds = [at.haproxyH2.v4, `[${at.haproxyH2.v6}]`].map(
  (address) => `  bind ${address}:443 ssl crt ${folder}/both.pem alpn h2 proto h2\n`,
)
const haproxyConfig = `
global
  maxconn 100
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend front
${binds.join('')}  http-request return status 503 content-type text/html string down if { path /down }
  default_backend back
backend back
  server nginx ${at.nginx.v4}:80
`

const start = (program: string, ...args: string[]): void => {
  const child = spawn(program, args, {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  process.once('exit', () => child.kill('SIGKILL'))
  child.once('exit', (code) => {
    process.stderr.write(`${program} ended with ${code}\n`)
    process.exit(1)
  })
}

const isListening = async (host: string, port: number): Promise<void> => {
  for (;;) {
    const socket = net.connect({ host, port })
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (connected) return
    await elapse(50)
  }
}

await mkdir(site, { recursive: true })
await writeFile(join(site, 'index.html'), '<!doctype html><title>Shop</title><p>open')
await writeFile(join(site, 'large'), `<!doctype html><title>Shop</title>${'<p>open'.repeat(60_000)}`)
await writeFile(join(folder, 'nginx.conf'), nginxConfig)
await writeFile(join(folder, 'Caddyfile'), caddyConfig)
await writeFile(join(folder, 'haproxy.cfg'), haproxyConfig)
await once(process.stdin, 'data')
start(programs.nginx, '-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf'))
start(programs.caddy, 'run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile')
start(programs.haproxy, '-db', '-f', join(folder, 'haproxy.cfg'))
await Promise.all(listeningAt.flatMap(({ v4, v6 }) => [isListening(v4, 443), isListening(v6, 443)]))
process.stdout.write('listening\n')
// Ends with its parent process.
process.stdin.resume().on('end', () => process.exit(0))
