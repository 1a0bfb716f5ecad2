// Something that is done now and then while somebody may look: not in a page that is hidden, and less and less often where it fails or takes long.

const EVERY = 10000, LONGEST = 160000; // ms
const PART = 20; // of the time at most

export function nowAndThen(run: () => Promise<void>): void {
  let wait = EVERY, timer = 0, running = false;
  const plan = () => {
    clearTimeout(timer);
    if (!document.hidden && !running) timer = setTimeout(() => void go(), wait);
  };
  const go = async () => {
    const began = performance.now();
    running = true;
    try {
      await run();
      wait = Math.min(LONGEST, Math.max(EVERY, PART * (performance.now() - began)));
    } catch {
      wait = Math.min(LONGEST, 2 * wait);
    }
    running = false;
    plan();
  };
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (!document.hidden && !running) void go();
  });
  plan();
}
