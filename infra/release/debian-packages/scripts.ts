import { debianPackages, type DebianPackage } from './packages.ts'

const shared = ['/etc/probe-mesh/secrets', '/etc/probe-mesh/tls']
const onSystemd = '[ -d /run/systemd/system ]'

/**
 * What dpkg runs around an install, upgrade, remove and purge. Nothing is enabled or started by an install: a program
 * without its settings could only fail.
 * @returns scripts of sh by name; none for a package without units
 */
export const scriptsOf = ({ units, own }: DebianPackage): Readonly<Record<string, string>> => {
  if (units.length === 0) return {}
  const script = (...lines: string[]): string => `#!/bin/sh\nset -e\n${lines.join('\n')}\n`
  // every instance of a template
  const running = units.map((unit) => `'${unit.replace('@.', '@*.')}'`).join(' ')
  const settings = Object.values(debianPackages).flatMap((one) =>
    one.settings === null ? [] : [`/etc/probe-mesh/${one.settings}.env`],
  )
  const links = units.map((unit) => `/etc/systemd/system/*.wants/${unit.replace('@.', '@*.')}`)
  const changes = units
    .flatMap((unit) => [unit, unit.replace('@.', '@*.')])
    .map((unit) => `/etc/systemd/system/${unit}.d`)
  return {
    postinst: script(
      `if [ "$1" = configure ] && ${onSystemd}; then`,
      '  systemctl daemon-reload',
      '  # an upgrade: what ran, and nothing else, starts again as this version',
      `  if [ -n "$2" ]; then systemctl try-restart ${running} || echo 'probe-mesh: a unit did not restart: systemctl --failed' >&2; fi`,
      'fi',
    ),
    prerm: script(`if [ "$1" = remove ] && ${onSystemd}; then systemctl stop ${running}; fi`),
    postrm: script(
      'if [ "$1" = purge ]; then',
      `  rm -rf ${[...new Set([...links, ...changes, ...own])].join(' ')}`,
      '  # the last package with settings takes what they share; an authority of your own stays',
      `  for file in ${settings.join(' ')}; do [ ! -e "$file" ] || keep=yes; done`,
      `  if [ -z "\${keep-}" ]; then rm -rf ${shared.join(' ')}; rmdir --ignore-fail-on-non-empty /etc/probe-mesh 2>/dev/null || true; fi`,
      'fi',
      'case "$1" in remove|purge)',
      `  if ${onSystemd}; then systemctl daemon-reload; systemctl reset-failed ${running} 2>/dev/null || true; fi`,
      'esac',
    ),
  }
}
