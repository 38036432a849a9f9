/**
 * Libraries that speak chat completions in their own way, over every dialect. They are installed into a project of
 * their own, which takes ten seconds; where that is not possible, this says so and is skipped.
 *
 *     npm run libraries
 */
import { spawnSync } from 'node:child_process'
import { INSTALLED } from './installed.ts'

const INSTALL_MS = 120_000
const TESTS_MS = 120_000

const npm = (...args: string[]) => spawnSync('npm', args, { stdio: 'inherit', timeout: INSTALL_MS })

if (!INSTALLED()) {
  const args = ['--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
  npm('install', '--prefix', 'test/libraries', ...args)
}
if (INSTALLED()) {
  const args = ['vitest', 'run', '--project', 'node*', 'test/libraries']
  const { status } = spawnSync('npx', args, { stdio: 'inherit', timeout: TESTS_MS })
  process.exitCode = status ?? 1
} else {
  console.log('SKIPPED: the libraries cannot be installed here, so none of them was asked')
}
