import { controlPlane } from './control-plane.ts'
import { room } from './room.ts'
import type { Package } from './room.ts'

/**
 * The dependency rule of ARCHITECTURE.md as a table. Every folder of every package stands in it, from the top
 * down: a room imports only rooms that it lists, and these stand below it.
 */

const shared = ['runtime', 'contracts']
const programs = ['control-plane', 'probe-agent', 'mcp-gateway', 'cli', 'terraform', 'web']
const product = [...shared, 'bus', ...programs]

export const packages: readonly Package[] = [
  {
    name: 'runtime',
    folder: 'runtime/src',
    about: 'Primitives that every program needs and no domain knows',
    imports: [],
    rooms: [room('.', 'One primitive a file')],
  },
  {
    name: 'contracts',
    folder: 'contracts/src',
    about: 'Schemas, routes and tools that programs share, by noun',
    imports: ['runtime'],
    rooms: [
      room(
        'api',
        'All routes, all tools and the typed client',
        'status-page mesh outage account channel agent error-tracking check alert incident maintenance schema',
      ),
      room(
        'status-page',
        'Status pages, their components and what visitors read',
        'agent incident reading maintenance subscriber schema',
      ),
      room(
        'mesh',
        'What travels on NATS: assignments, subjects, partitions, events',
        'outage agent check incident reading schema',
      ),
      room('outage', 'The catalog and the keyless answers', 'target check reading schema'),
      room('target', 'What a probe may reach: addresses, hosts, deny list', 'check schema'),
      room('account', 'Accounts, plans, keys, sign-in', 'reading schema'),
      room('channel', 'Notification channels and deliveries', 'schema'),
      room('agent', 'Private agents and the relay', 'error-tracking check reading schema'),
      room('error-tracking', 'Projects, events, issues, rules, source maps', 'incident schema'),
      room('check', 'Checks, steps and assertions', 'heartbeat alert reading schema'),
      room('heartbeat', 'Heartbeats and their runs', 'schema'),
      room('alert', 'Alert rules', 'schema'),
      room('incident', 'Incidents and their updates', 'reading schema'),
      room('reading', 'Readings, slots, regions, timings, certificates', 'schema'),
      room('maintenance', 'Maintenance windows', 'schema'),
      room('subscriber', 'Subscribers of status pages', 'schema'),
      room('schema', 'What every noun is made of: ids, instants, limits, refusals'),
    ],
  },
  {
    name: 'bus',
    folder: 'bus/src',
    about:
      'Messages between agents and control planes: one port, NATS, an in-process log, the relay',
    imports: shared,
    rooms: [
      room('in-process', 'The bus of one process', 'log .'),
      room('log', 'The durable log of one process', '.'),
      room('nats', 'The bus over NATS JetStream', '.'),
      room('relay', 'The bus of private agents, over HTTPS', '.'),
      room('.', 'The port, and what every bus is held to'),
    ],
  },
  controlPlane(shared),
  {
    name: 'probe-agent',
    folder: 'probe-agent/src',
    about: 'Takes assignments, measures, delivers readings',
    imports: [...shared, 'bus'],
    rooms: [
      room(
        '.',
        'Starts the agent and its configuration',
        'assignments run probes request share deliver schedule',
      ),
      room('assignments', 'Which checks this agent has', 'share deliver schedule'),
      room('clock', 'How far this clock is from the mesh'),
      room(
        'run',
        'One run: attempts, own faults, what is not measured',
        'names probes judge request deliver schedule',
      ),
      room('names', 'Whether a name exists, asked of others', 'probes request schedule'),
      room(
        'probes',
        'One probe a type: http, journey, tcp, dns, smtp, browser',
        'judge evidence request schedule',
      ),
      room('judge', 'Verdict of an attempt', 'request'),
      room('evidence', 'Who answers for a name: CDN, name servers', 'request schedule'),
      room('request', 'One HTTP request, and which addresses it may reach', 'http1'),
      room('http1', 'HTTP/1.1 as it is on the wire'),
      room('share', 'Which agent of a region runs a check', 'deliver schedule'),
      room('deliver', 'Readings on their way: spool, messages, retries', 'schedule'),
      room('schedule', 'When a slot is due'),
    ],
  },
  {
    name: 'mcp-gateway',
    folder: 'mcp-gateway/src',
    about: 'Tools for assistants, answered by the control plane over HTTP',
    imports: shared,
    rooms: [
      room('.', 'Starts the gateway', 'http upstream'),
      room('http', 'The server', 'protocol upstream'),
      room('protocol', 'The Model Context Protocol', 'tools upstream'),
      room('tools', 'The tools and their texts', 'upstream'),
      room('upstream', 'Requests to the control plane'),
    ],
  },
  {
    name: 'cli',
    folder: 'cli/src',
    about: 'Checks as code, and the terminal interface',
    imports: shared,
    rooms: [
      room('docs', 'The reference of all commands', 'api command-line file'),
      room('.', 'Starts a command', 'commands command-line terminal'),
      room('commands', 'The commands as data', 'acts api command-line'),
      room(
        'acts',
        'What a command does',
        'top api apply completion command-line import show file plan terminal',
      ),
      room('top', 'The live screen', 'api apply show file plan terminal'),
      room('api', 'Requests to the control plane', 'apply plan terminal'),
      room('completion', 'Completion of shells', 'command-line'),
      room('command-line', 'Parses a command line', 'apply terminal'),
      room('apply', 'Carries out a plan, and the exit codes', 'plan'),
      room('import', 'Checks from files of other services', 'file'),
      room('show', 'What is printed', 'file plan terminal'),
      room('file', 'The file of checks'),
      room('plan', 'What would change'),
      room('terminal', 'Colours, widths and signals of a terminal'),
    ],
  },
  {
    name: 'terraform',
    folder: 'terraform/src',
    about: 'The Terraform provider',
    imports: shared,
    rooms: [
      room('reference', 'The documents of the provider', 'protocol'),
      room('.', 'Starts the provider', 'data-sources resources api protocol'),
      room('data-sources', 'One data source a file', 'resources api protocol'),
      room('resources', 'One resource a file', 'api protocol'),
      room('api', 'Requests to the control plane', 'protocol'),
      room('protocol', 'How Terraform speaks to a provider'),
    ],
  },
  {
    name: 'web',
    folder: 'web/src',
    about: 'The dashboard and the pages of services',
    imports: shared,
    rooms: [
      room('.', 'Starts the dashboard', 'http pages api'),
      room('http', 'The server', 'pages api style html'),
      room('pages', 'One page a folder', 'api charts html'),
      room('api', 'Requests to the control plane'),
      room('charts', 'Charts as SVG', 'html'),
      room('style', 'Style sheets', 'html'),
      room('html', 'Elements, escaped'),
      room('islands', 'Scripts that run in the browser'),
    ],
  },
  {
    name: 'infra',
    folder: 'infra',
    about: 'Starts, operates and deploys the product',
    imports: product,
    rooms: [],
  },
  {
    name: 'acceptance',
    folder: 'acceptance',
    about: 'Proves the whole from outside',
    imports: [...product, 'infra'],
    rooms: [],
  },
  {
    name: 'bench',
    folder: 'bench',
    about: 'Times the product against floors and peers',
    imports: [...product, 'infra', 'acceptance'],
    rooms: [],
  },
]
