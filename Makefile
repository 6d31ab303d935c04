# Shortcuts. Each target installs what it needs; the work is done by CMake and scripts/.
.PHONY: build demo test bench format lint clean

build:
	scripts/bootstrap.sh
	cmake --preset release
	cmake --build --preset release

demo:
	scripts/demo.sh

test:
	scripts/test.sh

bench:
	scripts/bench.sh

format:
	scripts/bootstrap.sh --dev
	git ls-files -z '*.h' '*.cpp' '*.cu' '*.cuh' | xargs -0 clang-format-16 -i

lint:
	scripts/lint.sh

clean:
	rm -rf build
