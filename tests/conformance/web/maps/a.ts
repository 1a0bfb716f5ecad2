// Primes by trial division, and a sum over them.
export function isPrime(candidate: number): boolean {
	for (let divisor = 2; divisor * divisor <= candidate; divisor++)
		if (candidate % divisor === 0) return false;
	return candidate > 1;
}

export const countPrimes = (limit: number): number => {
	let found = 0;
	for (let candidate = 0; candidate < limit; candidate++)
		if (isPrime(candidate)) found++;
	return found;
};

export class Table {
	private cells: number[] = [];

	fillCells(size: number): number {
		for (let i = 0; i < size; i++) this.cells[i] = Math.sqrt(i) * 3;
		return this.cells.length;
	}
}
