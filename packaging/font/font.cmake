# Puts the product's font into the program `headway` as :/headway/fonts. A build product: see
# make_fonts.py. Included where the target is made, because custom commands stay in their folder.
find_program(HEADWAY_PYTHON NAMES python3)
mark_as_advanced(HEADWAY_PYTHON)
if(HEADWAY_PYTHON)
    set(font_folder ${CMAKE_BINARY_DIR}/fonts)
    add_custom_command(
        OUTPUT ${font_folder}/fonts.qrc
        COMMAND ${HEADWAY_PYTHON} ${CMAKE_SOURCE_DIR}/packaging/font/make_fonts.py ${font_folder}
        DEPENDS ${CMAKE_SOURCE_DIR}/packaging/font/make_fonts.py
        COMMENT "Making the font Headway Sans"
        VERBATIM)
    add_custom_command(
        OUTPUT ${font_folder}/fonts_resource.cpp
        COMMAND Qt6::rcc --name headway_fonts --output ${font_folder}/fonts_resource.cpp
                ${font_folder}/fonts.qrc
        DEPENDS ${font_folder}/fonts.qrc
        VERBATIM)
    target_sources(headway PRIVATE ${font_folder}/fonts_resource.cpp)
endif()
