# The files of a page as C++ strings: cmake -DPAGE=folder -DSCRIPTS=a.js,b.js -DOUT=page_files.cpp -P EmbedPage.cmake
# The scripts become one string, in the order in which they are listed.
function(append_literal path)
  file(READ "${path}" text HEX)  # as hex, since list characters and brackets would not survive CMake's string commands
  string(LENGTH "${text}" left)
  set(at 0)
  while(at LESS left)  # in pieces: compilers limit how long one literal may be
    string(SUBSTRING "${text}" ${at} 4000 piece)
    string(REGEX REPLACE "(..)" "\\\\x\\1" piece "${piece}")
    file(APPEND "${OUT}.new" "    \"${piece}\"\n")
    math(EXPR at "${at} + 4000")
  endwhile()
endfunction()

string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
file(WRITE "${OUT}.new" "#include \"workbench/export/page_files.h\"\n\nnamespace hyalite::page_files {\n\n")
foreach(part html css js)
  file(APPEND "${OUT}.new" "constexpr std::string_view page_${part} =\n")
  if(part STREQUAL "js")
    foreach(script IN LISTS SCRIPTS)
      append_literal("${PAGE}/${script}")
    endforeach()
  else()
    append_literal("${PAGE}/page.${part}")
  endif()
  file(APPEND "${OUT}.new" ";\n")
endforeach()
file(APPEND "${OUT}.new" "\n}  // namespace hyalite::page_files\n")
file(RENAME "${OUT}.new" "${OUT}")
