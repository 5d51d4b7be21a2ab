/** Debian 13 has version 2; Debian 12 has the incompatible version 1. */
export const dockerCompose = {
  package: 'docker-compose',
  names: ['docker-compose'],
  path: 'usr/libexec/docker/cli-plugins/docker-compose',
  suite: 'trixie',
}
