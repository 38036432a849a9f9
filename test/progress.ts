import { relative } from 'node:path'
import type { Reporter, TestModule, TestSpecification } from 'vitest/node'

const EACH_MS = 15_000
const FEW = 3

/** Says from time to time what is done, what runs and how many are left: where no terminal shows it, nothing else does. */
export class Progress implements Reporter {
  #files = 0
  #done = 0
  #tests = 0
  #failed = 0
  #began = 0
  readonly #running = new Map<string, string>()
  #clock: NodeJS.Timeout | undefined

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length
    this.#began = performance.now()
    this.#clock = setInterval(() => this.#say(), EACH_MS).unref()
  }

  onTestModuleStart({ id, moduleId, project }: TestModule): void {
    this.#running.set(id, `${project.name} ${relative('', moduleId)}`)
  }

  onTestModuleEnd({ id, children }: TestModule): void {
    this.#running.delete(id)
    this.#done += 1
    for (const test of children.allTests()) {
      this.#tests += 1
      if (test.result().state === 'failed') this.#failed += 1
    }
  }

  onTestRunEnd(): void {
    clearInterval(this.#clock)
  }

  #say(): void {
    const seconds = Math.round((performance.now() - this.#began) / 1000)
    const names = [...this.#running.values()]
    const more = names.length > FEW ? ` and ${names.length - FEW} more` : ''
    console.log(
      `== after ${seconds} s: ${this.#done} of ${this.#files} files done, ${this.#tests} tests, ` +
        `${this.#failed} failed; runs: ${names.slice(0, FEW).join(', ') || 'nothing'}${more}`,
    )
  }
}
